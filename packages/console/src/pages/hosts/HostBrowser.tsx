import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useHostModel } from '../../api/model.ts'
import type { Attribute } from '../../forms/attributes.ts'
import { FilterRows } from '../../forms/FilterRows.tsx'
import type { Filter, Kind, KindCondition } from '../../forms/filters.ts'
import { Button } from '../../kit/Button.tsx'
import { SearchField } from '../../kit/Field.tsx'
import { hosts } from '../../words/hosts.ts'
import { number, useWords } from '../../words/index.ts'
import { toAddress } from '../queries/definition.ts'
import { type HostView, useHosts } from './browsing.ts'
import { HostActions } from './HostActions.tsx'
import { isKept } from './long.ts'
import type { HostRow } from './questions.ts'
import { ColumnChooser, useColumns } from './table/ColumnChooser.tsx'
import { ExportButton } from './table/ExportButton.tsx'
import { HostResult } from './table/HostResult.tsx'
import { useRecent } from './views/recent.ts'
import { Views } from './views/Views.tsx'
import './hosts.css'

interface HostBrowserProps {
  /** Absent for the whole estate. */
  business?: number | undefined
  /** Fixed filters of this place. */
  within: readonly KindCondition[]
  /** The same by names, for a query that is saved. */
  here?: readonly Filter[]
  view: HostView
  onView(view: HostView): void
  /** Whether these are hosts of the pool. */
  isPool?: boolean
  /** Shown if there is no host at all. */
  empty: string
  showBusiness?: boolean
  tools?: ReactNode
}

const none: readonly Attribute[] = []
const noFilters: readonly Filter[] = []
/** Objects by which hosts can be filtered. */
const inBusiness: readonly Kind[] = ['host', 'module', 'set', 'object']
const everywhere: readonly Kind[] = [...inBusiness, 'biz']

/** The draft of a query with these conditions and columns. */
const asQuery = (filters: readonly Filter[], columns: readonly string[]): string =>
  toAddress({ name: '', filters, columns: columns.map((field) => ({ object: 'host', field })) })

/** The hosts of a place: search, sorting, columns, selection, and actions on selected hosts. */
export function HostBrowser(props: HostBrowserProps) {
  const { business, within, here = noFilters, view, onView, isPool = false, empty, showBusiness = false, tools } = props
  const words = useWords(hosts)
  const model = useHostModel()
  const attributes = model.attributes ?? none
  const chosen = useColumns(view.columns)
  const { columns } = chosen
  const filtering = view.filter ? view.filter === 'shown' : view.where !== undefined
  const [selected, setSelected] = useState<ReadonlyMap<number, HostRow>>(new Map())
  const browsing = useHosts({ business, within, view, onView, attributes, columns })
  const { search, filters, completeFilters, data, isLost } = browsing
  useRecent(view, business === undefined && (data?.count ?? 0) > 0, browsing.attributesOf)
  return (
    <div className="host-browser">
      <div className="host-tools">
        <SearchField
          label={words.find}
          placeholder={words.findHint}
          value={browsing.sought}
          onChange={browsing.setWords}
        />
        <Button icon="queries" onPress={() => onView({ ...view, filter: filtering ? 'hidden' : 'shown' })}>
          {completeFilters.length > 0 ? words.filters(completeFilters.length) : words.filter}
        </Button>
        <span className="quiet host-count" role="status">
          {data ? words.count(data.count) : ''}
        </span>
        {business !== undefined && completeFilters.length > 0 && (
          <Link
            className="button"
            to="/queries/$business"
            params={{ business: String(business) }}
            search={{ draft: asQuery([...here, ...completeFilters], columns) }}
          >
            {words.saveAsQuery}
          </Link>
        )}
        {business === undefined && !isPool && <Views view={view} onView={onView} />}
        <ColumnChooser
          attributes={attributes}
          chosen={chosen}
          isLinked={view.columns !== undefined}
          onLink={(linked) => {
            const { columns: _, ...rest } = view
            onView(linked ? { ...rest, columns: linked.join(',') } : rest)
          }}
        />
        <ExportButton search={search} attributes={attributes} columns={columns} count={data?.count ?? 0} />
        {tools}
      </div>
      {filtering && (
        <FilterRows
          objects={business === undefined ? everywhere : inBusiness}
          filters={filters}
          onChange={browsing.filter}
        />
      )}
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
      <HostResult
        browsing={browsing}
        model={model}
        attributes={attributes}
        chosen={chosen}
        showBusiness={showBusiness}
        sort={view.sort ?? ''}
        selected={selected}
        onSelect={setSelected}
        empty={empty}
      />
      <span className="unseen" aria-live="polite">
        {selected.size > 0 ? number(selected.size) : ''}
      </span>
    </div>
  )
}
