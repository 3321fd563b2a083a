import { useSyncExternalStore } from 'react'

/** Dialogs that do not belong to the page that is shown. */
export type ShellDialog = 'act' | 'business' | 'hosts' | 'object' | 'preferences' | 'userGroup'

let opened: ShellDialog | null = null
const listeners = new Set<() => void>()

/** Opens a dialog over any page; null closes it. */
export function openDialog(dialog: ShellDialog | null): void {
  opened = dialog
  for (const listener of listeners) listener()
}

export const useOpenedDialog = (): ShellDialog | null =>
  useSyncExternalStore(
    (changed) => {
      listeners.add(changed)
      return () => void listeners.delete(changed)
    },
    () => opened,
  )
