import { useBlocker } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { hasUnsaved } from '../kit/unsaved.ts'

export const loadLeaveDialog = () => import('./LeaveDialog.tsx')
const LeaveDialog = lazy(() => loadLeaveDialog().then((file) => ({ default: file.LeaveDialog })))

interface Address {
  readonly pathname: string
  readonly search: object
}

/** Parameters that choose what a page shows; others, such as a search text, leave its forms in place. */
const subjects = ['node', 'tab', 'group', 'query']

const valuesIn = ({ search }: Address) => {
  const values = new Map(Object.entries(search))
  return subjects.map((name) => values.get(name)).join()
}

const isLost = ({ current, next }: { current: Address; next: Address }): boolean =>
  hasUnsaved() && (current.pathname !== next.pathname || valuesIn(current) !== valuesIn(next))

/** Asks before an address is left whose forms have unsaved changes. Closing the tab is confirmed by the browser. */
export function LeaveGuard() {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: isLost,
    enableBeforeUnload: hasUnsaved,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <Suspense>
      <LeaveDialog onLeave={proceed} onStay={reset} />
    </Suspense>
  )
}
