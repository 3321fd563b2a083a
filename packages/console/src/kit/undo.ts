import { useSyncExternalStore } from 'react'

/** A change of the audit log: all changes of a request, or one transaction. */
export type UndoTarget = { readonly request_id: string } | { readonly txn_id: string }

let asked: UndoTarget | null = null
const listeners = new Set<() => void>()

/** Opens the dialog that shows what undoing this would do; null closes it. */
export function askUndo(target: UndoTarget | null): void {
  asked = target
  for (const listener of listeners) listener()
}

export const useUndoAsked = (): UndoTarget | null =>
  useSyncExternalStore(
    (changed) => {
      listeners.add(changed)
      return () => void listeners.delete(changed)
    },
    () => asked,
  )
