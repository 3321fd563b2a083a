import { Link, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { Icon } from '../kit/Icon.tsx'
import { useWords } from '../words/index.ts'
import { past } from '../words/past.ts'

const MomentBar = lazy(() => import('../pages/past/MomentBar.tsx').then((page) => ({ default: page.MomentBar })))

const showingPast = ['/topology/$business', '/queries/$business', '/hosts', '/hosts/$host']

/** Whether the page can show the past, and which moment it shows. */
function usePast() {
  const canShow = useRouterState({
    select: ({ matches }) => matches.some(({ routeId }) => showingPast.includes(routeId)),
  })
  const moment = useRouterState({ select: ({ location }) => (location.search as { as_of?: string }).as_of })
  return { canShow, moment: canShow ? moment : undefined }
}

/** Opens the page as of now, from where earlier moments are chosen. */
export function PastLink() {
  const words = useWords(past)
  const { canShow, moment } = usePast()
  if (!canShow || moment !== undefined) return null
  return (
    <Link to="." search={(before) => ({ ...before, as_of: '-0s' })} className="place" activeProps={{}}>
      <Icon name="audit" />
      {words.look}
    </Link>
  )
}

/** Over a page that shows the past; loaded with the first one. */
export function PastBar() {
  const { moment } = usePast()
  if (moment === undefined) return null
  return (
    <Suspense>
      <MomentBar asOf={moment} />
    </Suspense>
  )
}
