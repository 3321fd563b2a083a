import { lazy, type RefObject, Suspense, useLayoutEffect, useRef } from 'react'

export const loadPalette = () => import('./Palette.tsx')
const Palette = lazy(() => loadPalette().then((file) => ({ default: file.Palette })))

interface PaletteGateProps {
  business: number | null
  onClose(): void
}

/** The palette, which is loaded when it is opened. What is typed before it is there is not lost. */
export function PaletteGate(props: PaletteGateProps) {
  const typed = useRef('')
  return (
    <Suspense fallback={<TypedAhead typed={typed} />}>
      <Palette typed={typed} {...props} />
    </Suspense>
  )
}

/** Takes the keys before the page does. The focus stays where it is: the palette returns to it when it closes. */
function TypedAhead({ typed }: { typed: RefObject<string> }) {
  useLayoutEffect(() => {
    const take = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'Backspace') typed.current = typed.current.slice(0, -1)
      else if (event.key.length === 1) typed.current += event.key
      else return
      event.preventDefault()
      event.stopPropagation()
    }
    addEventListener('keydown', take, true)
    return () => removeEventListener('keydown', take, true)
  }, [typed])
  return null
}
