import { useSyncExternalStore } from 'react'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'
import { Icon, type IconName } from './Icon.tsx'

interface Toast {
  readonly id: number
  readonly text: string
  readonly icon: IconName
}

const stay = 4_000
let toasts: readonly Toast[] = []
let last = 0
const listeners = new Set<() => void>()

function show(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** A notification that needs no reaction. */
export const tell = (text: string): void => say(text, 'check')
/** Explains why an action was refused that has no button to show the reason. */
export const refuse = (why: string): void => say(why, 'warning')

function say(text: string, icon: IconName): void {
  const id = ++last
  show([...toasts, { id, text, icon }])
  setTimeout(() => show(toasts.filter((toast) => toast.id !== id)), stay)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function Toasts() {
  const words = useWords(shell)
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <section className="toasts" aria-live="polite" aria-label={words.notifications}>
      {shown.map((toast) => (
        <p key={toast.id} className="toast">
          <Icon name={toast.icon} />
          {toast.text}
        </p>
      ))}
    </section>
  )
}
