// Values of all hosts of an account, in columns: those that searches have asked for. They are brought up to date from the log.
import { type Expression, sql } from 'kysely'
import { inTurns } from '../../../../common/concurrency/turns.ts'
import { readOwnJson } from '../../../../common/own-json.ts'
import { first, present } from '../../../../common/present.ts'
import {
  attributesIn,
  bounding,
  cached,
  inColumn,
  lastCached,
  type Reader,
  type Storage,
} from '../../../../storage/index.ts'
import { type Host, hostColumns } from '../../rows.ts'
import {
  changedSince,
  fewRecords,
  type HostStamp,
  maxRecords,
  positionIn,
  readHostsWithStamp,
  recordsIn,
  stampNow,
  textOf,
} from '../matches/recorded.ts'
import { Column } from './column.ts'
import type { Value } from './dictionary.ts'
import { attributePrefix, hostPrefix, placementPrefix } from './matching.ts'

interface Limits {
  /** The memory of all columns of an account. Without the columns of a search that needs more, SQL answers it. */
  readonly maxBytes: number
  /** Hosts per statement: memory is checked after each. */
  readonly hostsPerLoad: number
}

const defaultLimits: Limits = { maxBytes: 90_000_000, hostsPerLoad: 8_192 }

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

  get hosts(): number {
    return this.columns.values().next().value?.size ?? 0
  }

  get weight(): number {
    return 1_000 + this.columns.values().reduce((sum, column) => sum + column.weight, 0)
  }

  /** With these columns as the last ones. */
  inOrder(names: readonly string[]): HostColumns {
    const columns = new Map(this.columns)
    for (const name of names) {
      const column = columns.get(name)
      if (!column) continue
      columns.delete(name)
      columns.set(name, column)
    }
    return new HostColumns(this.stamp, columns, this.declined)
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

/** The columns at a stamp that this request has read, or at a later one. Undefined if hosts change faster than they are read. */
export async function columnsAt(
  storage: Storage,
  account: string,
  names: readonly string[],
  stamp: HostStamp,
  limits = defaultLimits,
): Promise<HostColumns | undefined> {
  const last = await lastLoaded(storage, account, names)
  const known = last && usable(last)
  // Those needed last come last.
  const wanted = [...new Set(known?.columns.keys() ?? []).difference(new Set(names)), ...names]
  const version = (at: HostStamp, has: readonly string[]) => `${textOf(at)} ${has.toSorted().join()}`
  return cached(storage.read, columnsKey(account), version(stamp, wanted), async (readAt) => {
    const built = await buildColumns(storage, account, { wanted, known, stamp, limits })
    const all = built && (await withThoseOfOthers(storage, account, built, last))
    const found = all?.inOrder(wanted).within(limits.maxBytes, names)
    if (found) readAt(version(found.stamp, [...found.columns.keys()]))
    return found
  })
}

/** The last columns; if some of these are missing, only after running loads, so that all hosts are not read several times at once. */
async function lastLoaded(
  storage: Storage,
  account: string,
  names: readonly string[],
): Promise<HostColumns | undefined> {
  for (;;) {
    const last = HostColumns.last(storage, account)
    const load = loads.get(storage)?.get(account)
    if (!load || last?.has(names)) return last
    await load
  }
}

/** Together with columns that another search has cached since `last`, which these would replace. */
async function withThoseOfOthers(
  storage: Storage,
  account: string,
  built: HostColumns,
  last: HostColumns | undefined,
): Promise<HostColumns> {
  const other = HostColumns.last(storage, account)
  if (!other || other === last || built.has([...other.columns.keys()])) return built
  return (await merged(storage, account, other, built)) ?? built
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
  readonly limits: Limits
}

async function buildColumns(
  storage: Storage,
  account: string,
  { wanted, known, stamp, limits }: Building,
): Promise<HostColumns | undefined> {
  const load = (names: readonly string[]) =>
    alone(storage, account, () => loadColumns(storage, account, { names, declined: known?.declined, limits }))
  const missing = wanted.filter((name) => !known?.columns.has(name))
  if (!known || known.columns.size === 0) return load(wanted)
  if (missing.length === 0) return (await advancedColumns(storage, account, known, stamp)) ?? load(wanted)
  const loaded = await load(missing)
  if (!loaded) return undefined
  return (await merged(storage, account, known, loaded)) ?? load(wanted)
}

/** The columns of both, at one stamp: each is brought to that of the other, which may have changed meanwhile. */
async function merged(
  storage: Storage,
  account: string,
  known: HostColumns,
  loaded: HostColumns,
): Promise<HostColumns | undefined> {
  let [ahead, behind] = [loaded, known]
  for (let attempt = 0; attempt <= maxMergeAttempts; attempt++) {
    if (textOf(behind.stamp) === textOf(ahead.stamp)) {
      return new HostColumns(ahead.stamp, new Map([...behind.columns, ...ahead.columns]), loaded.declined)
    }
    const now = await advancedColumns(storage, account, behind, ahead.stamp)
    if (!now) return undefined
    ;[ahead, behind] = [now, ahead]
  }
  return undefined
}

/** The loads that are running, by account. */
const loads = new WeakMap<Storage, Map<string, Promise<unknown>>>()

/** One after the other: each may hold many values that turn out to be too many. */
function alone<T>(storage: Storage, account: string, load: () => Promise<T>): Promise<T> {
  const running = loads.get(storage) ?? new Map<string, Promise<unknown>>()
  loads.set(storage, running)
  const before = running.get(account)
  const loading = before ? before.then(load) : load()
  const ended = loading.then(
    () => {},
    () => {},
  )
  running.set(account, ended)
  void ended.then(() => {
    if (running.get(account) === ended) running.delete(account)
  })
  return loading
}

/** Changes of hosts while all are read, which are applied afterwards. */
const maxChangesOfLoad = 20_000

interface Loading {
  readonly names: readonly string[]
  readonly declined: ReadonlySet<string> | undefined
  readonly limits: Limits
}

/**
 * Reads all hosts in several statements, each of its own moment, and then again those that the log says have changed since the first of them: so all
 * values are of one moment, and no snapshot is held. Undefined if too many have changed.
 */
async function loadColumns(
  storage: Storage,
  account: string,
  { names, declined: known, limits: { hostsPerLoad, maxBytes } }: Loading,
): Promise<HostColumns | undefined> {
  const columns = new Map(names.map((name) => [name, Column.empty()]))
  const declined = new Set(known)
  let stamp: HostStamp | undefined
  for (let after = 0, isFull = true; isFull; ) {
    const rows = await readPart(storage.heavy, account, [...columns.keys()], { after, limit: hostsPerLoad })
    stamp ??= first(rows)
    let read = 0
    await inTurns(valuesIn(rows, [...columns.keys()]), ({ name, values }) => {
      columns.set(name, present(columns.get(name)).with(values))
      if (name !== columns.keys().next().value) return
      read += values.length
      after = values.at(-1)?.[0] ?? after
    })
    isFull = read === hostsPerLoad
    declineLargest(columns, declined, maxBytes)
  }
  const found = new HostColumns(present(stamp), columns, declined)
  const { stamp: now } = await readHostsWithStamp(storage.read, account, [])
  return textOf(now) === textOf(found.stamp) ? found : advancedColumns(storage, account, found, now, maxChangesOfLoad)
}

/** One row per thousand ids: a row for each would hold the event loop, and so would parsing all of them at a time. */
function readPart(
  heavy: Reader,
  account: string,
  names: readonly string[],
  { after, limit }: { readonly after: number; readonly limit: number },
) {
  const id = sql.ref<number>('host.host_id')
  const some = heavy
    .selectFrom('host')
    .where('host.account', '=', account)
    .where('host.host_id', '>', after)
    .orderBy('host.host_id')
    .limit(bounding(limit))
    .select(hostColumns)
  const parts = heavy
    .selectFrom(some.as('host'))
    .groupBy(sql<number>`host.host_id / 1024`)
    .select(heavy.dialect.arraysText([id, ...names.map((name) => storedValueOf(name, heavy))], id).as('hosts'))
    .select((eb) => eb.fn.min('host.host_id').as('first'))
  return heavy
    .selectFrom(stampNow(heavy, account))
    .leftJoin(parts.as('part'), (join) => join.onTrue())
    .select(['stamp.newest', 'stamp.unnumbered', 'part.hosts'])
    .orderBy('part.first')
    .execute()
}

/** The values of each column, of up to a thousand hosts at a time. */
function* valuesIn(rows: readonly { readonly hosts: string | null }[], names: readonly string[]) {
  for (const row of rows) {
    const hosts = row.hosts === null ? [] : readOwnJson<[number, ...unknown[]][]>(row.hosts)
    for (const [index, name] of names.entries()) {
      yield { name, values: hosts.map((each) => [each[0], valueFrom(each[index + 1])] as const) }
    }
  }
}

/** Without the largest columns while all together take too much memory. */
function declineLargest(columns: Map<string, Column>, declined: Set<string>, maxBytes: number): void {
  const weight = () => columns.values().reduce((sum, column) => sum + column.weight, 0)
  while (weight() > maxBytes) {
    const [largest] = [...columns].reduce((most, each) => (each[1].weight > most[1].weight ? each : most))
    columns.delete(largest)
    declined.add(largest)
  }
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
  maxChanges = maxRecords,
): Promise<HostColumns | undefined> {
  const reader = positionIn(to) - positionIn(from) <= fewRecords ? read : heavy
  const placements = [...columns.keys()].filter((name) => name.startsWith(placementPrefix))
  const rows = await reader
    .selectFrom(changedSince(reader, account, from, maxChanges + 1).as('changed'))
    .innerJoin(stampNow(reader, account), (join) => join.onTrue())
    .leftJoin('host', (join) => join.onRef('host.host_id', '=', 'changed.inst_id').on('host.account', '=', account))
    .select(['changed.inst_id', 'changed.known', 'changed.records', 'stamp.newest', 'stamp.unnumbered'])
    .select(hostColumns)
    .select(placements.map((name) => placementText(name, reader).as(name)))
    .execute()
  const records = rows.reduce((sum, row) => sum + Number(row.records), 0)
  const known = rows.reduce((sum, row) => sum + Number(row.known), 0)
  const [row] = rows
  if (!row || records > maxChanges || known < recordsIn(from)) return undefined
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
