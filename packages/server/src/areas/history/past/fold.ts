// Steps folded into versions, forward from the newest ones or backward from the oldest.
import type { Reader, Writer } from '../../../storage/index.ts'
import { type Columns, type RowChange, type RowKind, rowOn } from '../recorded/index.ts'
import { withParent } from './chain.ts'
import type { Step } from './steps.ts'
import { objectVersions, versionsOf } from './tables/index.ts'
import { type Edge, forever, unknownStart, type Version } from './version.ts'

/** How the changes of a kind are taken while its rows are copied from the live tables. */
export type Taking = 'ignored' | 'copying' | 'all'

/** The versions of one row that a batch reads and writes. */
interface Line {
  /** The version at the edge. */
  edge: Version | undefined
  /** Versions of this batch that are not at the edge any more. */
  readonly made: Version[]
  /** Positions at which versions begin and end that were stored before; only where steps may have been taken already. */
  readonly known: Set<number>
  /** Other rows are only read. */
  isChanged: boolean
}

type Lines = Map<RowKind, Map<string, Line>>

/** Nodes first: placements are stored with the sets of their modules. */
const kindsInOrder = (lines: Lines) =>
  [...lines].sort(([one], [other]) => Number(other === 'node') - Number(one === 'node'))

/** Applies the steps of an account, which follow everything projected so far. */
export async function foldForward(
  writer: Writer,
  account: string,
  steps: readonly Step[],
  takingOf: (kind: RowKind) => Taking,
): Promise<void> {
  const taken = steps.map((step) => ({
    ...step,
    changes: step.changes.filter(({ kind }) => takingOf(kind) !== 'ignored'),
  }))
  const lines = await readLines(writer, account, taken, 'newest', false)
  for (const { position, changes } of taken) {
    for (const change of objectsFirst(changes)) {
      const line = lineOf(lines, change)
      const isCopying = takingOf(change.kind) === 'copying'
      if (line.edge || !isCopying || change.before === null) advance(line, change, position, aboveIn(lines))
      else if (isWhole(change)) beginWith(line, change, position, aboveIn(lines))
    }
  }
  await writeLines(writer, account, lines, 'newest')
}

function advance(line: Line, change: RowChange, position: number, above: (object: string) => unknown): void {
  const { edge } = line
  const after = rowAfter(change, edge?.row, above)
  // Within one step only the last state counts.
  if (edge && edge.from < position) line.made.push({ ...edge, to: position })
  line.edge = after && { key: change.key, from: position, to: forever, row: after }
}

/** A row that has not been copied yet: what it was is known by the record. */
function beginWith(line: Line, change: RowChange, position: number, above: (object: string) => unknown): void {
  const { key } = change
  const [before, after] = [rowBefore(change, undefined, above), rowAfter(change, undefined, above)]
  if (before) line.made.push({ key, from: unknownStart, to: position, row: before })
  line.edge = after && { key, from: position, to: forever, row: after }
}

/** Applies older steps of an account, the newest first. `mayBeKnown`: they may have been applied forward before. */
export async function foldBackward(
  writer: Writer,
  account: string,
  steps: readonly Step[],
  mayBeKnown: boolean,
): Promise<void> {
  const lines = await readLines(writer, account, steps, 'oldest', mayBeKnown)
  for (const { position, changes } of steps.toReversed()) {
    for (const change of objectsFirst(changes.toReversed())) {
      const line = lineOf(lines, change)
      if (!line.known.has(position)) goBack(line, change, position, aboveIn(lines))
    }
  }
  await writeLines(writer, account, lines, 'oldest')
}

function goBack(line: Line, change: RowChange, position: number, above: (object: string) => unknown): void {
  const { key } = change
  const { edge } = line
  if (change.after === null) {
    const before = rowBefore(change, undefined, above)
    if (before) line.edge = { key, from: unknownStart, to: position, row: before }
    return
  }
  if (!edge || position > edge.to) return
  // Within one step only the first state counts.
  if (edge.to > position) line.made.push({ ...edge, from: position })
  const before = rowBefore(change, edge.row, above)
  line.edge = before && { key, from: unknownStart, to: position, row: before }
}

const rowBefore = (change: RowChange, row: Columns | undefined, above: (object: string) => unknown) =>
  placed(change, rowOn('before', change, row), above)

const rowAfter = (change: RowChange, row: Columns | undefined, above: (object: string) => unknown) =>
  placed(change, rowOn('after', change, row), above)

const placed = ({ kind, within }: RowChange, row: Columns | undefined, above: (object: string) => unknown) =>
  kind === 'node' && row && !within ? withParent(row, above) : row

/** Others name only some of the columns: moves of hosts, their edits (without the business), and values that were cleared. */
const isWhole = ({ kind, within, before }: RowChange): boolean =>
  !within && (kind !== 'host' || (before !== null && 'inner_ip' in before && 'biz_id' in before))

/** The parents of nodes follow from the levels, which the same step may change. */
const objectsFirst = (changes: readonly RowChange[]) => [
  ...changes.filter(({ kind }) => kind === 'object'),
  ...changes.filter(({ kind }) => kind !== 'object'),
]

const aboveIn = (lines: Lines) => (object: string) => lines.get('object')?.get(object)?.edge?.row.above

function lineOf(lines: Lines, { kind, key }: Pick<RowChange, 'kind' | 'key'>): Line {
  const own = lines.get(kind) ?? new Map<string, Line>()
  lines.set(kind, own)
  const line = own.get(key) ?? { edge: undefined, made: [], known: new Set(), isChanged: false }
  own.set(key, line)
  return line
}

async function readLines(
  reader: Reader,
  account: string,
  steps: readonly Step[],
  edge: Edge,
  withKnown: boolean,
): Promise<Lines> {
  const lines: Lines = new Map()
  const changes = steps.flatMap((step) => step.changes)
  for (const change of changes) lineOf(lines, change).isChanged = true
  for (const [kind, own] of lines) {
    const versions = await versionsOf(kind).read(reader, account, [...own.keys()], withKnown ? 'any' : edge)
    for (const version of versions) {
      const line = lineOf(lines, { kind, key: version.key })
      line.known.add(version.from).add(version.to)
      if (isAt(edge, version)) line.edge = version
    }
    if (!withKnown) for (const line of own.values()) line.known.clear()
  }
  if (lines.has('node')) {
    for (const version of await objectVersions(reader, account, edge)) {
      lineOf(lines, { kind: 'object', key: version.key }).edge ??= version
    }
  }
  return lines
}

const isAt = (edge: Edge, { from, to }: Version) => (edge === 'newest' ? to === forever : from === unknownStart)

async function writeLines(writer: Writer, account: string, lines: Lines, edge: Edge): Promise<void> {
  for (const [kind, own] of kindsInOrder(lines)) {
    const changed = [...own].filter(([, line]) => line.isChanged)
    if (changed.length === 0) continue
    const table = versionsOf(kind)
    await table.remove(
      writer,
      account,
      changed.map(([key]) => key),
      edge,
    )
    await table.insert(
      writer,
      account,
      changed.flatMap(([, line]) => [...line.made, ...(line.edge ? [line.edge] : [])]),
    )
  }
}
