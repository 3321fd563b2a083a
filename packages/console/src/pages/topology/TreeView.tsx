import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import {
  type DragEvent,
  type KeyboardEvent,
  memo,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Icon } from '../../kit/Icon.tsx'
import { Station } from '../../kit/Station.tsx'
import { number, useWords } from '../../words/index.ts'
import { topology } from '../../words/topology.ts'
import { hostsInTheAir } from '../hosts/HostTable.tsx'
import type { HostsIn } from './questions.ts'
import { step } from './steps.ts'
import type { NodeKey, Place } from './tree.ts'

interface TreeViewProps {
  label: string
  rows: readonly Place[]
  isOpen(place: Place): boolean
  selected: NodeKey
  /** Marked in the names. */
  sought: string
  hostsIn: HostsIn
  onSelect(place: Place): void
  onOpen(place: Place, open: boolean): void
  /** Hosts were dropped on a module. */
  onDropHosts(place: Place, hosts: readonly number[]): void
  /** F2 and Delete, on the row that has the focus. */
  onRename(place: Place): void
  onDelete(place: Place): void
}

const rowHeight = 28
const indexIn = (rows: readonly Place[], key: NodeKey) => rows.findIndex((row) => row.key === key)

/**
 * A tree of which only the rows in sight exist. Focus stays on the tree itself, which names its active row
 * (`aria-activedescendant`), so that rows may come and go under it.
 */
export function TreeView({
  label,
  rows,
  isOpen,
  selected,
  sought,
  hostsIn,
  onSelect,
  onOpen,
  onDropHosts,
  onRename,
  onDelete,
}: TreeViewProps) {
  const id = useId()
  const words = useWords(topology)
  const counted = (hosts: number | undefined) => ({
    hosts,
    description: hosts === undefined ? undefined : words.hosts(hosts),
  })
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<NodeKey>(selected)
  // Looked for anew only when the rows or what is sought in them have changed: scrolling draws many times a second.
  const activeIndex = useMemo(() => Math.max(0, indexIn(rows, active)), [rows, active])

  // The active row is always drawn, in sight or not: the tree refers to it.
  const rangeExtractor = useCallback(
    (range: Range) =>
      [...new Set([...defaultRangeExtractor(range), activeIndex])].filter((index) => index < range.count),
    [activeIndex],
  )
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    getItemKey: (index) => rows[index]?.key ?? index,
    rangeExtractor,
  })

  // Whatever is selected from elsewhere, by the address or the palette, comes into sight.
  const selectedIndex = useMemo(() => indexIn(rows, selected), [rows, selected])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another selection scrolls, not every change of the rows
  useEffect(() => {
    setActive(selected)
    if (selectedIndex >= 0) virtual.scrollToIndex(selectedIndex, { align: 'auto' })
  }, [selected, selectedIndex >= 0])

  const press = (event: KeyboardEvent) => {
    const place = rows[activeIndex]
    if (!place || event.ctrlKey || event.metaKey || event.altKey) return
    const done = step(
      event.key,
      rows,
      activeIndex,
      isOpen,
      Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight),
    )
    if (!done) return
    event.preventDefault()
    if ('to' in done) {
      const to = rows[done.to]
      if (to) setActive(to.key)
      virtual.scrollToIndex(done.to, { align: 'auto' })
    } else if ('open' in done) onOpen(place, done.open)
    else ({ select: onSelect, rename: onRename, delete: onDelete })[done.act](place)
  }

  return (
    <div
      ref={scroller}
      className="tree"
      role="tree"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={`${id}${rows[activeIndex]?.key}`}
      onKeyDown={press}
    >
      <div className="tree-room" role="presentation" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const place = rows[item.index]
          if (!place) return null
          return (
            <Row
              key={item.key}
              id={id + place.key}
              place={place}
              top={item.start}
              open={isOpen(place)}
              selected={place.key === selected}
              active={item.index === activeIndex}
              sought={sought}
              {...counted(hostsIn(place))}
              onSelect={onSelect}
              onOpen={onOpen}
              onDropHosts={onDropHosts}
            />
          )
        })}
      </div>
    </div>
  )
}

interface RowProps {
  id: string
  place: Place
  top: number
  open: boolean
  selected: boolean
  active: boolean
  sought: string
  /** How many stand in it, as shown and as said; undefined while nobody knows. */
  hosts: number | undefined
  description: string | undefined
  onSelect(place: Place): void
  onOpen(place: Place, open: boolean): void
  onDropHosts(place: Place, hosts: readonly number[]): void
}

const Row = memo(function Row({
  id,
  place,
  top,
  open,
  selected,
  active,
  sought,
  hosts,
  description,
  onSelect,
  onOpen,
  onDropHosts,
}: RowProps) {
  const inner = place.children.length > 0
  const [over, setOver] = useState(false)
  const takes = (event: DragEvent) =>
    place.object === 'module' && place.builtIn === 0 && event.dataTransfer.types.includes(hostsInTheAir)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys for all of its rows
    <div
      id={id}
      className={`tree-row${active ? ' active' : ''}${over ? ' over' : ''}`}
      role="treeitem"
      tabIndex={-1}
      aria-level={place.depth}
      aria-posinset={place.position}
      aria-setsize={place.siblings}
      aria-selected={selected}
      aria-expanded={inner ? open : undefined}
      aria-description={description}
      style={{ transform: `translateY(${top}px)` }}
      onDragOver={(event) => {
        if (!takes(event)) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false)
        if (!takes(event)) return
        event.preventDefault()
        onDropHosts(place, JSON.parse(event.dataTransfer.getData(hostsInTheAir)))
      }}
      onClick={() => onSelect(place)}
      onDoubleClick={() => inner && onOpen(place, !open)}
    >
      <span className="tree-indent" style={{ width: (place.depth - 1) * 18 }} />
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: arrow keys do it */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a target for the pointer only; the row itself says whether it is open */}
      <span
        className={`tree-toggle${inner ? (open ? ' open' : '') : ' none'}`}
        onClick={(event) => {
          event.stopPropagation()
          onOpen(place, !open)
        }}
      >
        {inner && <Icon name="chevron" size={14} />}
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
