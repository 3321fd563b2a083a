import {
  type DragEvent,
  type KeyboardEvent,
  memo,
  type SyntheticEvent,
  useEffect,
  useId,
  useMemo,
  useState,
} from 'react'
import { Icon } from '../../kit/Icon.tsx'
import { Station } from '../../kit/Station.tsx'
import { usePreferences } from '../../preferences.ts'
import { number, useWords } from '../../words/index.ts'
import { topology } from '../../words/topology.ts'
import { hostsInTheAir } from '../hosts/table/HostTable.tsx'
import type { HostsIn } from './questions.ts'
import { step } from './steps.ts'
import type { NodeKey, Place } from './tree.ts'
import { useRowsInSight } from './useRowsInSight.ts'

interface TreeViewProps {
  label: string
  rows: readonly Place[]
  isOpen(place: Place): boolean
  selected: NodeKey
  /** Highlighted in the names. */
  sought: string
  hostsIn: HostsIn
  /** Nodes that have just changed. */
  changed: ReadonlySet<NodeKey>
  onSelect(place: Place): void
  onOpen(place: Place, open: boolean): void
  /** Hosts were dropped on a module. */
  onDropHosts(place: Place, hosts: readonly number[]): void
  /** F2 and Delete, on the row that has the focus. */
  onRename(place: Place): void
  onDelete(place: Place): void
}

/** As --tree-row in tokens.css. */
const rowHeights = { normal: 28, compact: 24 }
const indexIn = (rows: readonly Place[], key: NodeKey) => rows.findIndex((row) => row.key === key)
const takes = (place: Place, event: DragEvent) =>
  place.object === 'module' && place.builtIn === 0 && event.dataTransfer.types.includes(hostsInTheAir)

/**
 * A virtualised tree: only visible rows exist. The tree itself has the focus and the listeners (`aria-activedescendant` names the active row), and
 * scrolling reuses the same elements.
 */
export function TreeView({
  label,
  rows,
  isOpen,
  selected,
  sought,
  hostsIn,
  changed,
  onSelect,
  onOpen,
  onDropHosts,
  onRename,
  onDelete,
}: TreeViewProps) {
  const id = useId()
  const words = useWords(topology)
  const rowHeight = rowHeights[usePreferences().density]
  const [active, setActive] = useState<NodeKey>(selected)
  const [over, setOver] = useState<NodeKey | null>(null)
  // Recomputed only when the rows or the search have changed: scrolling renders many times a second.
  const activeIndex = useMemo(() => Math.max(0, indexIn(rows, active)), [rows, active])
  const { scroller, from, to, page, reveal } = useRowsInSight(rows.length, rowHeight)

  // A node selected from elsewhere, by the address or the palette, is scrolled into view.
  const selectedIndex = useMemo(() => indexIn(rows, selected), [rows, selected])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another selection scrolls, not every change of the rows
  useEffect(() => {
    setActive(selected)
    if (selectedIndex >= 0) reveal(selectedIndex)
  }, [selected, selectedIndex >= 0])

  const press = (event: KeyboardEvent) => {
    const place = rows[activeIndex]
    if (!place || event.ctrlKey || event.metaKey || event.altKey) return
    const done = step(event.key, rows, activeIndex, isOpen, page)
    if (!done) return
    event.preventDefault()
    if ('to' in done) {
      const to = rows[done.to]
      if (to) setActive(to.key)
      reveal(done.to)
    } else if ('open' in done) onOpen(place, done.open)
    else ({ select: onSelect, rename: onRename, delete: onDelete })[done.act](place)
  }

  /** The node of an event's row. */
  const placeAt = ({ target }: SyntheticEvent): Place | undefined => {
    const row = (target as Element).closest('.tree-row')
    return row ? rows[indexIn(rows, row.id.slice(id.length))] : undefined
  }
  const isOnToggle = ({ target }: SyntheticEvent) => (target as Element).closest('.tree-toggle') !== null
  const click = (event: SyntheticEvent) => {
    const place = placeAt(event)
    if (!place) return
    if (isOnToggle(event)) onOpen(place, !isOpen(place))
    else onSelect(place)
  }
  const clickTwice = (event: SyntheticEvent) => {
    const place = placeAt(event)
    if (place && place.children.length > 0 && !isOnToggle(event)) onOpen(place, !isOpen(place))
  }
  const dragOver = (event: DragEvent) => {
    const place = placeAt(event)
    const taken = place !== undefined && takes(place, event)
    if (taken) event.preventDefault()
    setOver(taken ? place.key : null)
  }
  const drop = (event: DragEvent) => {
    const place = placeAt(event)
    setOver(null)
    if (!place || !takes(place, event)) return
    event.preventDefault()
    onDropHosts(place, JSON.parse(event.dataTransfer.getData(hostsInTheAir)))
  }

  const activeRow = rows[activeIndex]
  const draw = (place: Place, slot: number | 'active') => {
    const hosts = hostsIn(place)
    return (
      <Row
        key={slot}
        id={id + place.key}
        place={place}
        open={isOpen(place)}
        selected={place.key === selected}
        active={place === activeRow}
        over={place.key === over}
        changed={changed.has(place.key)}
        sought={sought}
        hosts={hosts}
        description={hosts === undefined ? undefined : words.hosts(hosts)}
      />
    )
  }
  return (
    <div
      ref={scroller}
      className="tree"
      role="tree"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={id + activeRow?.key}
      onKeyDown={press}
      onClick={click}
      onDoubleClick={clickTwice}
      onDragOver={dragOver}
      onDragLeave={() => setOver(null)}
      onDrop={drop}
    >
      <div className="tree-room" role="presentation" style={{ height: rows.length * rowHeight }}>
        <div className="tree-rows" role="presentation" style={{ top: from * rowHeight }}>
          {rows.slice(from, to).map(draw)}
        </div>
        {/* Drawn even out of sight: the tree refers to it. */}
        {activeRow && (activeIndex < from || activeIndex >= to) && (
          <div className="tree-rows" role="presentation" style={{ top: activeIndex * rowHeight }}>
            {draw(activeRow, 'active')}
          </div>
        )}
      </div>
    </div>
  )
}

interface RowProps {
  id: string
  place: Place
  open: boolean
  selected: boolean
  active: boolean
  /** Accepted hosts are dragged over it. */
  over: boolean
  changed: boolean
  sought: string
  /** The number of hosts in it, as displayed and as spoken; undefined while it is unknown. */
  hosts: number | undefined
  description: string | undefined
}

const Row = memo(function Row(props: RowProps) {
  const { id, place, open, selected, active, over, changed, sought, hosts, description } = props
  const inner = place.children.length > 0
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus for all of its rows
    <div
      id={id}
      className={`tree-row${active ? ' active' : ''}${over ? ' over' : ''}${changed ? ' changed' : ''}`}
      role="treeitem"
      aria-level={place.depth}
      aria-posinset={place.position}
      aria-setsize={place.siblings}
      aria-selected={selected}
      aria-expanded={inner ? open : undefined}
      aria-description={description}
    >
      <span className="tree-indent" style={{ width: (place.depth - 1) * 18 }} />
      <span className={inner ? 'tree-toggle' : 'tree-leaf'}>
        {inner && <Icon name={open ? 'down' : 'chevron'} size={14} />}
      </span>
      <Station object={place.object} />
      <span className="truncate tree-name">{sought ? <Marked text={place.name} sought={sought} /> : place.name}</span>
      {hosts !== undefined && (
        <span className={hosts === 0 ? 'tree-count none' : 'tree-count'} aria-hidden="true">
          {number(hosts)}
        </span>
      )}
    </div>
  )
})

function Marked({ text, sought }: { text: string; sought: string }) {
  const at = text.toLocaleLowerCase().indexOf(sought.trim().toLocaleLowerCase())
  if (at < 0) return text
  const end = at + sought.trim().length
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, end)}</mark>
      {text.slice(end)}
    </>
  )
}
