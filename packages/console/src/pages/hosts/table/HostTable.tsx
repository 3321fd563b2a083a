import { Link } from '@tanstack/react-router'
import { type DragEvent, memo, useCallback, useMemo, useRef } from 'react'
import { type Attribute, isQuantity, toWords } from '../../../forms/attributes.ts'
import { Icon } from '../../../kit/Icon.tsx'
import { Tick } from '../../../kit/Tick.tsx'
import { common } from '../../../words/common.ts'
import { hosts } from '../../../words/hosts.ts'
import { useWords } from '../../../words/index.ts'
import { address, type HostRow, placeOf } from '../questions.ts'

interface HostTableProps {
  rows: readonly HostRow[]
  attributes: readonly Attribute[]
  columns: readonly string[]
  showBusiness: boolean
  sort: string
  onSort(sort: string): void
  /** Ids of hosts that have just changed. */
  changed: ReadonlySet<number>
  selected: ReadonlyMap<number, HostRow>
  onSelect(selected: ReadonlyMap<number, HostRow>): void
}

/** The media type of dragged hosts. */
export const hostsInTheAir = 'application/x-mainline-hosts'

export function HostTable(props: HostTableProps) {
  const { rows, attributes, columns, showBusiness, sort, onSort, changed, selected, onSelect } = props
  const words = useWords(hosts)
  const shown = useMemo(
    () =>
      columns.map((id) => attributes.find((each) => each.bk_property_id === id)).filter((each) => each !== undefined),
    [attributes, columns],
  )
  const here = rows.filter((row) => selected.has(row.host.bk_host_id)).length
  const select = useCallback(
    (chosen: readonly HostRow[], on: boolean) => {
      const next = new Map(selected)
      for (const row of chosen) {
        if (on) next.set(row.host.bk_host_id, row)
        else next.delete(row.host.bk_host_id)
      }
      onSelect(next)
    },
    [selected, onSelect],
  )
  /** The last ticked row: the start of a range selected with Shift. */
  const lastTicked = useRef<number | null>(null)
  const tick = useCallback(
    (row: HostRow, on: boolean, isRange: boolean) => {
      const at = rows.indexOf(row)
      const from = isRange && lastTicked.current !== null ? lastTicked.current : at
      lastTicked.current = at
      select(rows.slice(Math.min(from, at), Math.max(from, at) + 1), on)
    },
    [rows, select],
  )
  // Dragging a host that is not selected drags it alone.
  const drag = useCallback(
    (event: DragEvent, row: HostRow) => {
      const dragged = selected.has(row.host.bk_host_id) ? [...selected.values()] : [row]
      event.dataTransfer.setData(hostsInTheAir, JSON.stringify(dragged.map((each) => each.host.bk_host_id)))
      event.dataTransfer.setData('text/plain', dragged.map((each) => each.host.bk_host_innerip).join('\n'))
      event.dataTransfer.effectAllowed = 'copyMove'
    },
    [selected],
  )
  return (
    <div className="host-table">
      <table className="table" aria-label={words.hosts}>
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
            {shown.map((each) => (
              <SortableHead key={each.bk_property_id} attribute={each} sort={sort} onSort={onSort} />
            ))}
            {showBusiness && <th scope="col">{words.business}</th>}
            <th scope="col">{words.where}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <Line
              // biome-ignore lint/suspicious/noArrayIndexKey: the next page comes into the lines of this one, which is far quicker than new ones
              key={at}
              row={row}
              shown={shown}
              showBusiness={showBusiness}
              isSelected={selected.has(row.host.bk_host_id)}
              isChanged={changed.has(row.host.bk_host_id)}
              onTick={tick}
              onDrag={drag}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface LineProps {
  row: HostRow
  shown: readonly Attribute[]
  showBusiness: boolean
  isSelected: boolean
  isChanged: boolean
  onTick(row: HostRow, on: boolean, isRange: boolean): void
  onDrag(event: DragEvent, row: HostRow): void
}

/** Rerendered only when its data has changed: the current page stays while the next one is loading. */
const Line = memo(function Line({ row, shown, showBusiness, isSelected, isChanged, onTick, onDrag }: LineProps) {
  const words = useWords(hosts)
  const general = useWords(common)
  return (
    <tr
      className={isChanged ? 'changed' : ''}
      aria-selected={isSelected}
      draggable
      onDragStart={(event) => onDrag(event, row)}
    >
      <td className="tick">
        <Tick
          label={words.selectHost(row.host.bk_host_innerip)}
          on={isSelected}
          onChange={(on, isRange) => onTick(row, on, isRange)}
        />
      </td>
      {shown.map((each) => (
        <td key={each.bk_property_id} className={isQuantity(each) ? 'number' : ''}>
          <HostCell attribute={each} row={row} text={toWords(each, row.host[each.bk_property_id], general)} />
        </td>
      ))}
      {showBusiness && <td>{row.biz.map((each) => each.bk_biz_name).join(', ')}</td>}
      <td className="quiet truncate places">{row.module.map(placeOf).join(', ')}</td>
    </tr>
  )
})

function HostCell({ attribute, row, text }: { attribute: Attribute; row: HostRow; text: string }) {
  if (attribute.bk_property_id !== address) return text || <span className="quiet">–</span>
  return (
    <Link to="/hosts/$host" params={{ host: String(row.host.bk_host_id) }} className="mono" draggable={false}>
      {text}
    </Link>
  )
}

interface SortableHeadProps {
  attribute: Attribute
  sort: string
  onSort(sort: string): void
}

function SortableHead({ attribute, sort, onSort }: SortableHeadProps) {
  const id = attribute.bk_property_id
  const direction = sort === id ? 'ascending' : sort === `-${id}` ? 'descending' : 'none'
  return (
    <th scope="col" aria-sort={direction} className={isQuantity(attribute) ? 'number' : ''}>
      <button type="button" className="sort" onClick={() => onSort(direction === 'ascending' ? `-${id}` : id)}>
        {attribute.bk_property_name}
        <Icon name={direction === 'none' ? 'updown' : 'down'} size={12} />
      </button>
    </th>
  )
}
