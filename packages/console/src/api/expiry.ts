import { useSyncExternalStore } from 'react'

/** Whether a request was refused because the caller is no longer signed in. */
let expired = false
const listeners = new Set<() => void>()

export function setExpired(next: boolean): void {
  if (expired === next) return
  expired = next
  for (const listener of listeners) listener()
}

export const useExpired = (): boolean =>
  useSyncExternalStore(
    (changed) => {
      listeners.add(changed)
      return () => void listeners.delete(changed)
    },
    () => expired,
  )
