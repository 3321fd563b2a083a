import { useSyncExternalStore } from 'react'

/** In their order; each points at a part of the navigation. */
export const tourSteps = ['find', 'tree', 'hosts', 'events', 'audit'] as const
export type TourStep = (typeof tourSteps)[number]

let current: TourStep | null = null
const listeners = new Set<() => void>()

/** Shows a step of the tour; null ends it. */
export function showStep(step: TourStep | null): void {
  current = step
  for (const listener of listeners) listener()
}

export const useTourStep = (): TourStep | null =>
  useSyncExternalStore(
    (changed) => {
      listeners.add(changed)
      return () => void listeners.delete(changed)
    },
    () => current,
  )
