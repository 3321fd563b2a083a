import { lazy, Suspense } from 'react'
import { useTourStep } from './step.ts'

const Tour = lazy(() => import('./Tour.tsx').then((file) => ({ default: file.Tour })))

/** The tour is loaded when it is started. */
export function TourGate() {
  const step = useTourStep()
  if (!step) return null
  return (
    <Suspense>
      <Tour step={step} />
    </Suspense>
  )
}
