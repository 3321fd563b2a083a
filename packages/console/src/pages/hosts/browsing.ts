import { useQuery } from '@tanstack/react-query'
import { questions } from '../../api/ask.ts'
import type { Attribute } from '../../forms/attributes.ts'
import {
  conditionsOf,
  type Filter,
  fromAddress,
  isComplete,
  type Kind,
  type KindCondition,
  toAddress,
} from '../../forms/filters.ts'
import { useAttributesOfKinds } from '../../forms/kinds.ts'
import { startIn, useLastPage } from '../../kit/Pager.tsx'
import { useDraft } from '../../kit/typed.ts'
import { usePreferences } from '../../preferences.ts'
import { shortened, whole } from './long.ts'
import { findHosts, type HostSearch } from './questions.ts'

/** The state in the address. */
export interface HostView {
  readonly q?: string
  /** Whether the filters are "shown" or "hidden"; by default shown if there are any. */
  readonly filter?: string
  readonly where?: string
  readonly sort?: string
  readonly start?: string
  /** Attributes separated by commas, in place of the columns of the user. */
  readonly columns?: string
}

interface Browsing {
  readonly business: number | undefined
  readonly within: readonly KindCondition[]
  readonly view: HostView
  onView(view: HostView): void
  readonly attributes: readonly Attribute[]
  readonly columns: readonly string[]
}

/** The current search, which is stored in the address, and the page of results. */
export function useHosts({ business, within, view, onView, attributes, columns }: Browsing) {
  const sought = whole(view.q ?? '')
  const where = whole(view.where ?? '')
  const isLost = sought === undefined || where === undefined
  // Complete filters are in the address; half-typed ones only here.
  const [filters, setFilters] = useDraft<readonly Filter[]>(where ?? '', fromAddress)
  const others = useAttributesOfKinds([...new Set(filters.map((each) => each.object))])
  const attributesOfKind = (kind: Kind) => (kind === 'host' ? attributes : others.of(kind))
  const search: HostSearch = {
    business,
    words: sought ?? '',
    conditions: [...within, ...conditionsOf(filters, attributesOfKind)],
    fields: columns,
    sort: view.sort,
  }
  const { pageSize } = usePreferences()
  const start = startIn(view.start)
  const found = useQuery({
    ...findHosts(search, start, pageSize),
    enabled: columns.length > 0 && !isLost && others.areLoaded,
    placeholderData: (before) => before,
  })
  const data = isLost ? undefined : found.data
  const turn = (next: number) => {
    const { start: _, ...rest } = view
    onView(next > 0 ? { ...rest, start: String(next) } : rest)
  }
  useLastPage({ start, limit: pageSize, count: found.isPlaceholderData ? undefined : data?.count }, turn)
  const ahead = async (next: number) => {
    if (next >= 0 && next < (data?.count ?? 0)) await questions.prefetchQuery(findHosts(search, next, pageSize))
  }
  const complete = filters.filter(isComplete)
  return {
    search,
    attributesOf: attributesOfKind,
    sought: sought ?? '',
    isLost,
    filters,
    completeFilters: complete,
    isNarrowed: Boolean(view.q) || complete.length > 0,
    start,
    pageSize,
    found,
    data,
    turn,
    ahead,
    filter(next: readonly Filter[]) {
      const { where: _, filter: __, start: ___, ...rest } = view
      const kept = next.some(isComplete) ? toAddress(next.filter(isComplete)) : ''
      setFilters(next, kept)
      onView({ ...rest, ...(kept ? { where: shortened(kept) } : { filter: 'shown' }) })
    },
    setWords(q: string) {
      const { q: _, start: __, ...rest } = view
      onView(q ? { ...rest, q: shortened(q) } : rest)
    },
    sort(sort: string) {
      const { start: _, ...rest } = view
      onView({ ...rest, sort })
    },
    /** Clears a search whose list is lost. */
    forget() {
      const { q: _, where: __, start: ___, ...rest } = view
      onView(rest)
    },
  }
}
