import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useHostAttributes } from '../../api/model.ts'
import { Tick } from '../../kit/Tick.tsx'
import { hosts } from '../../words/hosts.ts'
import { useWords } from '../../words/index.ts'
import { HostActions } from '../hosts/HostActions.tsx'
import { address, findHosts, type HostRow } from '../hosts/questions.ts'
import type { Column } from './definition.ts'
import type { Row } from './questions.ts'
import '../hosts/hosts.css'

interface ResultTableProps {
  business: number
  rows: readonly Row[]
  columns: readonly Column[]
  nameOf(column: Column): string
  cell(row: Row, column: Column): string
  label: string
}

const idOf = (row: Row) => Number(row.host.bk_host_id)
const none: readonly HostRow[] = []

/** A page of the result. Its rows lead to their hosts, and can be selected and moved. */
export function ResultTable({ business, rows, columns, nameOf, cell, label }: ResultTableProps) {
  const words = useWords(hosts)
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  const here = rows.filter((row) => selected.has(idOf(row))).length
  const select = (chosen: readonly Row[], on: boolean) => {
    const next = new Set(selected)
    for (const row of chosen) {
      if (on) next.add(idOf(row))
      else next.delete(idOf(row))
    }
    setSelected(next)
  }
  // The cell that leads to the host: its address, or else the first one.
  const leading = columns.find((each) => each.object === 'host' && each.field === address) ?? columns[0]
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
      <section className="host-table" tabIndex={0} aria-label={label}>
        <table className="table">
          <thead>
            <tr>
              <th scope="col" className="tick">
                <Tick
                  label={words.selectAll}
                  on={here === rows.length}
                  some={here > 0 && here < rows.length}
                  onChange={(on) => select(rows, on)}
                />
              </th>
              {columns.map((each) => (
                <th key={`${each.object} ${each.field}`} scope="col">
                  {nameOf(each)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={idOf(row)} aria-selected={selected.has(idOf(row))}>
                <td className="tick">
                  <Tick
                    label={words.selectHost(leading ? cell(row, leading) : String(idOf(row)))}
                    on={selected.has(idOf(row))}
                    onChange={(on) => select([row], on)}
                  />
                </td>
                {columns.map((each) => (
                  <td key={`${each.object} ${each.field}`}>
                    {each === leading ? (
                      <Link to="/hosts/$host" params={{ host: String(idOf(row)) }}>
                        {cell(row, each) || `#${idOf(row)}`}
                      </Link>
                    ) : (
                      cell(row, each)
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {selected.size > 0 && <Actions business={business} ids={[...selected]} onDone={() => setSelected(new Set())} />}
    </>
  )
}

/** Actions need the placement of hosts, which a query need not show. */
function Actions({ business, ids, onDone }: { business: number; ids: readonly number[]; onDone(): void }) {
  const attributes = useHostAttributes() ?? []
  const chosen = { bk_obj_id: 'host', condition: [{ field: 'bk_host_id', operator: '$in', value: ids }] }
  const found = useQuery({
    ...findHosts({ business, conditions: [chosen], words: '', fields: [] }, 0, ids.length),
    placeholderData: (before) => before,
  })
  const rows = found.data?.rows ?? none
  if (rows.length === 0) return null
  return <HostActions business={business} isPool={false} selected={rows} attributes={attributes} onDone={onDone} />
}
