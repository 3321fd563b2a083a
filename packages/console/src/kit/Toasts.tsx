import { useSyncExternalStore } from 'react'
import { useWords } from '../words/index.ts'
import { shell } from '../words/shell.ts'
import { Icon, type IconName } from './Icon.tsx'
import { askUndo, type UndoTarget } from './undo.ts'

interface Toast {
  readonly id: number
  readonly text: string
  readonly icon: IconName
  readonly undo: UndoTarget | undefined
}

const stayMs = 4_000
/** Time to decide whether to undo. */
const stayToUndoMs = 10_000
let toasts: readonly Toast[] = []
let last = 0
const listeners = new Set<() => void>()

function show(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** A notification that needs no reaction. With a change that can be undone it offers that. */
export const tell = (text: string, undo?: UndoTarget): void => say(text, 'check', undo)
/** Explains why an action was refused that has no button to show the reason. */
export const refuse = (why: string): void => say(why, 'warning')

function say(text: string, icon: IconName, undo?: UndoTarget): void {
  const id = ++last
  show([...toasts, { id, text, icon, undo }])
  hideLater(id, undo ? stayToUndoMs : stayMs)
}

const hide = (id: number) => show(toasts.filter((toast) => toast.id !== id))

/** Not while it has the pointer or the focus. */
function hideLater(id: number, afterMs: number): void {
  setTimeout(() => {
    if (document.querySelector(`[data-toast="${id}"]:is(:hover, :focus-within)`)) hideLater(id, stayMs)
    else hide(id)
  }, afterMs)
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
      {shown.map(({ id, text, icon, undo }) => (
        <p key={id} className="toast" data-toast={id}>
          <Icon name={icon} />
          <span>{text}</span>
          {undo && (
            <button
              type="button"
              onClick={() => {
                hide(id)
                askUndo(undo)
              }}
            >
              {words.undo}
            </button>
          )}
        </p>
      ))}
    </section>
  )
}
