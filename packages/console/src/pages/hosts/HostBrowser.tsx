import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { questions } from '../../api/ask.ts'
import { useHostModel } from '../../api/model.ts'
import type { Attribute } from '../../forms/attributes.ts'
import { FilterRows } from '../../forms/FilterRows.tsx'
import {
  conditionsOf,
  type Filter,
  fromAddress,
  isComplete,
  type KindCondition,
  toAddress,
} from '../../forms/filters.ts'
import { Empty, Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { SearchField } from '../../kit/Field.tsx'
import { Pager, startIn, useLastPage } from '../../kit/Pager.tsx'
import { useDraft } from '../../kit/typed.ts'
import { hosts } from '../../words/hosts.ts'
import { number, useWords } from '../../words/index.ts'
import { ColumnChooser, useColumns } from './ColumnChooser.tsx'
import { ExportButton } from './ExportButton.tsx'
import { HostActions } from './HostActions.tsx'
import { HostTable } from './HostTable.tsx'
import { isKept, shortened, whole } from './long.ts'
import { findHosts, type HostRow, type HostSearch } from './questions.ts'
import './hosts.css'

/** What of it is in the address. */
export interface HostView {
  readonly q?: string
  /** Whether the filters are "shown" or "hidden"; as a rule they are when there are any. */
  readonly filter?: string
  readonly where?: string
  readonly sort?: string
  readonly start?: string
}

interface HostBrowserProps {
  /** Absent: the whole estate. */
  business?: number | undefined
  /** What the place one looks at asks for by itself. */
  within: readonly KindCondition[]
  view: HostView
  onView(view: HostView): void
  /** Whether one looks at hosts of the pool. */
  isPool?: boolean
  /** Shown when there is not a single host. */
  empty: string
  showBusiness?: boolean
  tools?: ReactNode
}

const pageSize = 50
const none: readonly Attribute[] = []

/** Hosts of a place: found, sorted, looked at in the columns one likes, selected, and then moved or changed. */
export function HostBrowser(props: HostBrowserProps) {
  const { business, within, view, onView, isPool = false, empty, showBusiness = false, tools } = props
  const words = useWords(hosts)
  const model = useHostModel()
  const attributes = model.attributes ?? none
  const chosen = useColumns()
  const { columns } = chosen
  const filtering = view.filter ? view.filter === 'shown' : view.where !== undefined
  const [selected, setSelected] = useState<ReadonlyMap<number, HostRow>>(new Map())
  const sought = whole(view.q ?? '')
  const where = whole(view.where ?? '')
  const isLost = sought === undefined || where === undefined
  // The address knows what is complete; what is half typed is only here.
  const [filters, setFilters] = useDraft<readonly Filter[]>(where ?? '', fromAddress)

  const search: HostSearch = {
    business,
    words: sought ?? '',
    conditions: [...within, ...conditionsOf(filters, () => attributes)],
    fields: columns,
    sort: view.sort,
  }
  const start = startIn(view.start)
  const found = useQuery({
    ...findHosts(search, start, pageSize),
    enabled: columns.length > 0 && !isLost,
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
  const filter = (next: readonly Filter[]) => {
    const { where: _, filter: __, start: ___, ...rest } = view
    const complete = next.some(isComplete) ? toAddress(next.filter(isComplete)) : ''
    setFilters(next, complete)
    onView({ ...rest, ...(complete ? { where: shortened(complete) } : { filter: 'shown' }) })
  }
  const setWords = (q: string) => {
    const { q: _, start: __, ...rest } = view
    onView(q ? { ...rest, q: shortened(q) } : rest)
  }
  const forget = () => {
    const { q: _, where: __, start: ___, ...rest } = view
    onView(rest)
  }
  const narrowed = Boolean(view.q) || filters.some(isComplete)
  return (
    <div className="host-browser">
      <div className="host-tools">
        <SearchField label={words.find} placeholder={words.findHint} value={sought ?? ''} onChange={setWords} />
        <Button icon="queries" onPress={() => onView({ ...view, filter: filtering ? 'hidden' : 'shown' })}>
          {filters.some(isComplete) ? words.filters(filters.filter(isComplete).length) : words.filter}
        </Button>
        <span className="quiet host-count" role="status">
          {data ? words.count(data.count) : ''}
        </span>
        <ColumnChooser attributes={attributes} chosen={chosen} />
        <ExportButton search={search} attributes={attributes} columns={columns} count={data?.count ?? 0} />
        {tools}
      </div>
      {filtering && <FilterRows objects={['host']} filters={filters} onChange={filter} />}
      {!isLost && (isKept(view.q) || isKept(view.where)) && <p className="quiet">{words.longList}</p>}
      {selected.size > 0 && (
        <HostActions
          business={business}
          isPool={isPool}
          selected={[...selected.values()]}
          attributes={attributes}
          onDone={() => setSelected(new Map())}
        />
      )}
      {isLost ? (
        <Empty title={words.lostList}>
          <p>{words.lostListWhy}</p>
          <Button onPress={forget}>{words.all}</Button>
        </Empty>
      ) : model.error ? (
        <Failure error={model.error} retry={model.retry} />
      ) : found.error ? (
        <Failure error={found.error} retry={found.refetch} />
      ) : !data || attributes.length === 0 || (data.rows.length === 0 && data.count > 0) ? (
        <Skeleton lines={10} height={24} />
      ) : data.count === 0 ? (
        <Empty title={narrowed ? words.noMatch : words.empty}>
          <p>{narrowed ? words.noMatchWhy : empty}</p>
        </Empty>
      ) : (
        <>
          {chosen.error && (
            <>
              <p className="quiet">{words.columnsUnknown}</p>
              <Failure error={chosen.error} retry={chosen.retry} />
            </>
          )}
          <HostTable
            rows={data.rows}
            attributes={attributes}
            columns={columns}
            showBusiness={showBusiness}
            sort={view.sort ?? ''}
            onSort={(sort) => {
              const { start: _, ...rest } = view
              onView({ ...rest, sort })
            }}
            selected={selected}
            onSelect={setSelected}
          />
          {data.count > pageSize && (
            <Pager
              start={start}
              limit={pageSize}
              count={data.count}
              onNear={(next) => void ahead(next)}
              onStart={(next) => {
                // Asked for before anything is drawn; and whoever pages on will page on.
                void ahead(next).then(() => ahead(next + next - start))
                turn(next)
              }}
            />
          )}
        </>
      )}
      <span className="unseen" aria-live="polite">
        {selected.size > 0 ? number(selected.size) : ''}
      </span>
    </div>
  )
}
