import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { toText, toWords } from '../../forms/attributes.ts'
import { Empty, Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { Pager } from '../../kit/Pager.tsx'
import { usePreferences } from '../../preferences.ts'
import { common } from '../../words/common.ts'
import { filtering } from '../../words/filters.ts'
import { useWords } from '../../words/index.ts'
import { queries } from '../../words/queries.ts'
import { saveFile, toCsv } from '../hosts/csv.ts'
import { type AttributesOfKind, columnName } from './columns.ts'
import { type Column, everything, type Info } from './definition.ts'
import { everyRow, preview, type Row } from './questions.ts'
import { ResultTable } from './ResultTable.tsx'

interface ResultProps {
  business: number
  name: string
  info: Info
  columns: readonly Column[]
  attributes: AttributesOfKind
}

/** The current result of the query, refetched with every edit. */
export function Result({ business, name, info, columns, attributes }: ResultProps) {
  const words = useWords(queries)
  const general = useWords(common)
  const { objects } = useWords(filtering)
  const { pageSize } = usePreferences()
  // Another query begins at its first page.
  const of = JSON.stringify(info)
  const [page, setPage] = useState({ of, start: 0 })
  const start = page.of === of ? page.start : 0
  const found = useQuery({ ...preview(business, info, start, pageSize), placeholderData: (before) => before })
  const attributeOf = ({ object, field }: Column) => attributes(object).find((each) => each.bk_property_id === field)
  const shown = columns
    .filter((each) => each.object !== 'object')
    .flatMap((each) =>
      each.field === everything
        ? attributes(each.object).map(({ bk_property_id: field }) => ({ object: each.object, field }))
        : each,
    )
  const nameOf = (column: Column) => columnName(attributes(column.object), column)
  const cell = (row: Row, column: Column) => {
    const value = row[column.object as keyof Row]?.[column.field]
    const attribute = attributeOf(column)
    return attribute ? toWords(attribute, value, general) : toText(value)
  }
  const [done, setDone] = useState(0)
  const exporting = useMutation({
    mutationFn: async (format: 'csv' | 'json') => {
      setDone(0)
      const rows = await everyRow(business, info, setDone)
      if (format === 'json') return saveFile(`${name}.json`, JSON.stringify(rows, null, 2), 'application/json')
      const head = shown.map((each) => `${objects[each.object]}: ${nameOf(each)}`)
      saveFile(`${name}.csv`, toCsv([head, ...rows.map((row) => shown.map((each) => cell(row, each)))]), 'text/csv')
    },
  })
  const none = found.data?.count === 0 ? words.empty : undefined
  const error = found.error ?? exporting.error
  return (
    <section className="query-result" aria-label={words.preview}>
      <header>
        <h2>{words.preview}</h2>
        <span className="quiet" role="status">
          {found.data && !found.error ? words.count(found.data.count) : ''}
        </span>
        <div className="actions">
          {(['csv', 'json'] as const).map((format) => (
            <Button
              key={format}
              icon="external"
              busy={exporting.isPending}
              because={none}
              onPress={() => exporting.mutate(format)}
            >
              {exporting.isPending && exporting.variables === format
                ? words.progress(done, found.data?.count ?? 0)
                : words.exports[format]}
            </Button>
          ))}
        </div>
      </header>
      {error && <Failure error={error} retry={found.refetch} />}
      {!found.data && !error && <Skeleton lines={6} height={24} />}
      {found.data && !error && found.data.count === 0 && (
        <Empty title={words.empty}>
          <p>{words.emptyWhy}</p>
          <Link to="/topology/$business" params={{ business: String(business) }}>
            {words.toTree}
          </Link>
        </Empty>
      )}
      {found.data && !error && found.data.count > 0 && (
        <>
          <ResultTable
            key={`${of} ${start}`}
            business={business}
            rows={found.data.rows}
            columns={shown}
            nameOf={nameOf}
            cell={cell}
            label={words.count(found.data.count)}
          />
          {found.data.count > pageSize && (
            <Pager
              start={start}
              limit={pageSize}
              count={found.data.count}
              onStart={(next) => setPage({ of, start: next })}
            />
          )}
        </>
      )}
    </section>
  )
}
