// Values of all hosts of an account, in columns: those that searches have asked for. They are brought up to date from the log.
import { type Expression, sql } from 'kysely'
import { inTurns } from '../../../../common/concurrency/turns.ts'
import { readOwnJson } from '../../../../common/own-json.ts'
import { first } from '../../../../common/present.ts'
import { attributesIn, cached, inColumn, lastCached, type Reader, type Storage } from '../../../../storage/index.ts'
import { type Host, hostColumns } from '../../rows.ts'
import {
  changedSince,
  fewRecords,
  type HostStamp,
  maxRecords,
  positionIn,
  recordsIn,
  stampNow,
  textOf,
} from '../matches/recorded.ts'
import { Column, type Value } from './column.ts'
import { attributePrefix, hostPrefix, placementPrefix } from './matching.ts'

/** The memory of all columns of an account. Without the columns of a search that needs more, SQL answers it. */
export const maxColumnBytes = 16_000_000

type Columns = ReadonlyMap<string, Column>

/** Immutable: columns at a stamp. */
export class HostColumns {
  readonly stamp: HostStamp
  readonly columns: Columns
  /** Columns that would take too much memory. */
  readonly declined: ReadonlySet<string>

  constructor({ newest, unnumbered }: HostStamp, columns: Columns, declined: ReadonlySet<string> = new Set()) {
    this.stamp = { newest, unnumbered }
    this.columns = columns
    this.declined = declined
  }

  static last(storage: Storage, account: string): HostColumns | undefined {
    const found = lastCached(storage.read, columnsKey(account))
    return found instanceof HostColumns ? found : undefined
  }

  has(names: readonly string[]): boolean {
    return names.every((name) => this.columns.has(name))
  }

  lacks(names: readonly string[]): boolean {
    return names.some((name) => this.declined.has(name))
  }

  get weight(): number {
    return 1_000 + this.columns.values().reduce((sum, column) => sum + column.weight, 0)
  }

  /** Within the limit of memory: without the columns that were needed longest ago, and if that is not enough, without the largest. */
  within(maxBytes: number, needed: readonly string[]): HostColumns {
    let { weight, declined } = this
    const kept = new Map(this.columns)
    const largestLast = needed.filter((name) => kept.has(name)).sort((a, b) => this.#weightOf(a) - this.#weightOf(b))
    const dispensable = [...kept.keys()].filter((name) => !needed.includes(name))
    for (const name of dispensable) {
      if (weight <= maxBytes) break
      weight -= this.#weightOf(name)
      kept.delete(name)
    }
    for (const name of largestLast.reverse()) {
      if (weight <= maxBytes) break
      weight -= this.#weightOf(name)
      kept.delete(name)
      declined = new Set([...declined, name])
    }
    return new HostColumns(this.stamp, kept, declined)
  }

  #weightOf(name: string): number {
    return this.columns.get(name)?.weight ?? 0
  }
}

const columnsKey = (account: string) => `columns of hosts ${account}`

/** The columns at a stamp that this request has read, or at a later one. */
export async function columnsAt(
  storage: Storage,
  account: string,
  names: readonly string[],
  stamp: HostStamp,
): Promise<HostColumns> {
  const last = HostColumns.last(storage, account)
  const known = last && usable(last)
  // Those needed last come last.
  const wanted = [...new Set(known?.columns.keys() ?? []).difference(new Set(names)), ...names]
  const version = (at: HostStamp, has: readonly string[]) => `${textOf(at)} ${has.toSorted().join()}`
  return cached(storage.read, columnsKey(account), version(stamp, wanted), async (readAt) => {
    const built = await buildColumns(storage, account, { wanted, known, stamp })
    const found = built.within(maxColumnBytes, names)
    readAt(version(found.stamp, [...found.columns.keys()]))
    return found
  })
}

/** Without columns whose dictionaries are mostly values of the past. */
function usable({ stamp, columns, declined }: HostColumns): HostColumns {
  return new HostColumns(stamp, new Map([...columns].filter(([, column]) => !column.isWorn)), declined)
}

/** Attempts to bring new columns and known ones to one moment while hosts change. */
const maxMergeAttempts = 6

interface Building {
  readonly wanted: readonly string[]
  readonly known: HostColumns | undefined
  readonly stamp: HostStamp
}

async function buildColumns(
  storage: Storage,
  account: string,
  { wanted, known, stamp }: Building,
): Promise<HostColumns> {
  const missing = wanted.filter((name) => !known?.columns.has(name))
  if (!known || known.columns.size === 0) return loadColumns(storage, account, wanted, known?.declined)
  if (missing.length === 0) {
    return (
      (await advancedColumns(storage, account, known, stamp)) ?? loadColumns(storage, account, wanted, known.declined)
    )
  }
  let [ahead, behind] = [await loadColumns(storage, account, missing, known.declined), known]
  for (let attempt = 0; attempt < maxMergeAttempts; attempt++) {
    const now = await advancedColumns(storage, account, behind, ahead.stamp)
    if (!now) break
    if (textOf(now.stamp) === textOf(ahead.stamp)) {
      return new HostColumns(now.stamp, new Map([...now.columns, ...ahead.columns]), known.declined)
    }
    ;[ahead, behind] = [now, ahead]
  }
  return loadColumns(storage, account, wanted, known.declined)
}

/** One row per few thousand ids: transferring as many rows would hold the event loop. */
async function loadColumns(
  { heavy }: Storage,
  account: string,
  names: readonly string[],
  declined?: ReadonlySet<string>,
): Promise<HostColumns> {
  const id = sql.ref<number>('host.host_id')
  const parts = heavy
    .selectFrom('host')
    .where('host.account', '=', account)
    .groupBy(sql<number>`host.host_id / 4096`)
    .select(heavy.dialect.arraysText([id, ...names.map((name) => storedValueOf(name, heavy))], id).as('hosts'))
  const rows = await heavy
    .selectFrom(stampNow(heavy, account))
    .leftJoin(parts.as('part'), (join) => join.onTrue())
    .select(['stamp.newest', 'stamp.unnumbered', 'part.hosts'])
    .execute()
  let columns = names.map(() => Column.empty())
  await inTurns(rows, (row) => {
    const hosts = row.hosts === null ? [] : readOwnJson<[number, ...unknown[]][]>(row.hosts)
    columns = columns.map((column, index) => column.with(hosts.map((each) => [each[0], valueFrom(each[index + 1])])))
  })
  return new HostColumns(first(rows), new Map(names.map((name, index) => [name, columns[index] as Column])), declined)
}

function storedValueOf(name: string, reader: Reader): Expression<unknown> {
  if (name.startsWith(attributePrefix)) {
    return reader.dialect.jsonValue(sql.ref('host.attributes'), name.slice(attributePrefix.length))
  }
  return name.startsWith(placementPrefix) ? placementText(name, reader) : sql.ref(name)
}

/** The modules or sets of a host in order, as a text that is the same for all hosts with the same. */
function placementText(name: string, { dialect }: Reader) {
  const node = sql.ref(name)
  // As a text: SQLite would keep in mind that it is JSON, and nest it as an array.
  const nodes = sql`${dialect.arraysText([node], node)} || ''`
  return sql<string | null>`(SELECT ${nodes} FROM placement WHERE placement.host = host.id)`
}

/** Lists and objects, left from an attribute of another type, count as unset for every type of attribute. */
const valueFrom = (value: unknown): Value =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null

/**
 * One statement, so that all columns are of one moment. Undefined if the log does not say what has changed: if records of the old stamp are
 * missing, the log has gone back, or its oldest records were removed.
 */
async function advancedColumns(
  { read, heavy }: Storage,
  account: string,
  { stamp: from, columns, declined }: HostColumns,
  to: HostStamp,
): Promise<HostColumns | undefined> {
  const reader = positionIn(to) - positionIn(from) <= fewRecords ? read : heavy
  const placements = [...columns.keys()].filter((name) => name.startsWith(placementPrefix))
  const rows = await reader
    .selectFrom(changedSince(reader, account, from, maxRecords + 1).as('changed'))
    .innerJoin(stampNow(reader, account), (join) => join.onTrue())
    .leftJoin('host', (join) => join.onRef('host.host_id', '=', 'changed.inst_id').on('host.account', '=', account))
    .select(['changed.inst_id', 'changed.known', 'changed.records', 'stamp.newest', 'stamp.unnumbered'])
    .select(hostColumns)
    .select(placements.map((name) => placementText(name, reader).as(name)))
    .execute()
  const records = rows.reduce((sum, row) => sum + Number(row.records), 0)
  const known = rows.reduce((sum, row) => sum + Number(row.known), 0)
  const [row] = rows
  if (!row || records > maxRecords || known < recordsIn(from)) return undefined
  const values = new Map<string, [id: number, value: Value | undefined][]>(
    [...columns.keys()].map((name) => [name, []]),
  )
  await inTurns(rows, (row) => {
    for (const [name, changes] of values) changes.push([row.inst_id, row.id === null ? undefined : valueIn(row, name)])
  })
  const newer = [...columns].map(([name, column]) => [name, column.with(values.get(name) ?? [])] as const)
  return new HostColumns(row, new Map(newer), declined)
}

/** As `storedValueOf` reads it. */
function valueIn(row: object, name: string): Value {
  if (name.startsWith(attributePrefix)) {
    return valueFrom(attributesIn(row as Host)[name.slice(attributePrefix.length)])
  }
  return valueFrom(inColumn(row, name.startsWith(placementPrefix) ? name : name.slice(hostPrefix.length)))
}
