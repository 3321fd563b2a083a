// Proves that the past is what the log says, and that it ends in the live rows.
import { isDeepStrictEqual } from 'node:util'
import type { Reader } from '../../../storage/index.ts'
import { type Columns, nodeKey, type RowChange, type RowKind, rowKinds, rowOn } from '../recorded/index.ts'
import { nodeCode } from './codes.ts'
import { recordsSince, rowsAtHead } from './filling.ts'
import { type AccountState, readAccounts, readHead, stages } from './state.ts'
import { recordsAfter, type Step, stepsOf } from './steps.ts'
import { versionsOf } from './tables/index.ts'
import { unknownStart, type Version } from './version.ts'

export interface StateVerdict {
  /** Rows of all accounts at the head, and the position of the head. */
  readonly rows: number
  readonly position: number
  /** Records that were compared with the versions that they end and begin. */
  readonly records: number
  /** Accounts whose past is still being derived, and is not compared. */
  readonly unfinished: readonly string[]
  /** The first difference, in words. */
  readonly difference: string | undefined
}

class Difference extends Error {}

/** `reader` must see the rows of one moment. */
export async function verifyState(
  reader: Reader,
  onProgress: (done: number, of: number) => void,
): Promise<StateVerdict> {
  const head = await readHead(reader)
  const all = await readAccounts(reader)
  const accounts = all.filter(({ stage }) => stage === stages.complete)
  const unfinished = all.filter((state) => !accounts.includes(state)).map(({ account }) => account)
  const verdict = { position: head.position, unfinished, rows: 0, records: 0, difference: undefined }
  let [rows, records] = [0, 0]
  try {
    for (const { account } of accounts) rows += await compareLive(reader, account, head.position)
    records = await compareLog(reader, accounts, head.position, onProgress)
  } catch (error) {
    if (!(error instanceof Difference)) throw error
    return { ...verdict, difference: error.message }
  }
  return { ...verdict, rows, records }
}

/** Live rows, taken back over the records after the head, are the versions at the head. Returns their number. */
async function compareLive(reader: Reader, account: string, position: number): Promise<number> {
  const found = new Map<RowKind, number>(rowKinds.map((kind) => [kind, 0]))
  for (let stage: number = stages.small; stage < stages.complete; stage++) {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const { rows, copiedTo } = await rowsAtHead(reader, { account, stage, copied_to: after }, position)
      for (const [kind, live] of rows) {
        const existing = [...live].filter(([, row]) => row !== undefined)
        const count = await compareRows(reader, { account, kind, position }, new Map(existing))
        found.set(kind, (found.get(kind) ?? 0) + count)
      }
      after = copiedTo
    }
  }
  await compareParents(reader, account, position)
  const deleted = await deletedSince(reader, account, position)
  let sum = 0
  for (const [kind, count] of found) {
    const past = await countVersions(reader, { account, kind, position })
    const expected = count + (deleted.get(kind) ?? 0)
    if (past !== expected) {
      throw new Difference(
        `account ${account} has ${expected} rows of kind ${kind} at position ${position}, and ${past} in the past`,
      )
    }
    sum += expected
  }
  return sum
}

async function countVersions(reader: Reader, { account, kind, position }: RowPlace): Promise<number> {
  const versions = versionsOf(kind)
  if (kind !== 'role_binding') return versions.count(reader, account, position)
  const rows = await versions.read(reader, account, undefined, { at: position })
  return rows.filter(({ row }) => isStored(kind, row)).length
}

/** A role without privileges is the same as one that was never bound. */
const isStored = (kind: RowKind, row: Columns) => kind !== 'role_binding' || JSON.stringify(row.privileges) !== '[]'

interface RowPlace {
  readonly account: string
  readonly kind: RowKind
  readonly position: number
}

async function compareRows(reader: Reader, place: RowPlace, live: ReadonlyMap<string, Columns | undefined>) {
  const { account, kind, position } = place
  const versions = await versionsOf(kind).read(reader, account, [...live.keys()], { at: position })
  const past = new Map(versions.map(({ key, row }) => [key, row]))
  let count = 0
  for (const [key, row] of live) {
    if (!row || !isStored(kind, row)) continue
    const { parent: _, ...version } = past.get(key) ?? {}
    // Rows of SQLite have no prototype, which the comparison would count as a difference.
    if (!isDeepStrictEqual(version, { ...row })) throw new Difference(describe({ ...place, key }, row, past.get(key)))
    count++
  }
  return count
}

function describe({ account, kind, position, key }: RowPlace & { key: string }, is?: Columns, past?: Columns): string {
  const row = `${kind} ${key} of account ${account} at position ${position}`
  if (!past) return `${row} is not in the past`
  if (!is) return `${row} is in the past, and did not exist`
  const column = [...new Set([...Object.keys(is), ...Object.keys(past)])].find(
    (each) => each !== 'parent' && !isDeepStrictEqual(is[each], past[each]),
  )
  const shown = (columns: Columns) => JSON.stringify(columns[column ?? ''])?.slice(0, 500)
  return `${row}: ${column} is ${shown(is)}, and ${shown(past)} in the past`
}

/** Ids of parents are derived from the levels of the time. Only those at the end of the log can be compared. */
async function compareParents(reader: Reader, account: string, position: number): Promise<void> {
  const { logPosition } = await readHead(reader)
  const unnumbered = await recordsSince(reader, account, position)
  if (logPosition !== position || unnumbered.length > 0) return
  const rows = await reader
    .selectFrom('node')
    .innerJoin('node as above', 'above.id', 'node.parent')
    .select(['node.object_id', 'node.inst_id', 'above.object_id as above_object', 'above.inst_id as above_inst'])
    .where('node.account', '=', account)
    .execute()
  const versions = await versionsOf('node').read(reader, account, undefined, { at: position })
  const parents = new Map(versions.map(({ key, row }) => [key, row.parent]))
  for (const row of rows) {
    const key = nodeKey(row.object_id, row.inst_id)
    const parent = nodeCode(row.above_object, row.above_inst)
    if (parents.get(key) === parent) continue
    throw new Difference(`node ${key} of account ${account} has parent ${parent}, and ${parents.get(key)} in the past`)
  }
}

/** How many rows existed at the head and do not any more, by kind. */
async function deletedSince(reader: Reader, account: string, position: number): Promise<Map<RowKind, number>> {
  const { steps } = await stepsOf(await recordsSince(reader, account, position))
  const rows = new Map<string, { kind: RowKind; first: RowChange; last: RowChange }>()
  for (const change of steps.flatMap(({ changes }) => changes)) {
    const { kind, key } = change
    // Rows of small kinds are compared with those that were deleted.
    if (!['node', 'host', 'placement', 'custom_query', 'instance_association'].includes(kind)) continue
    const known = rows.get(`${kind} ${key}`)
    rows.set(`${kind} ${key}`, { kind, first: known?.first ?? change, last: change })
  }
  const deleted = new Map<RowKind, number>()
  for (const { kind, first, last } of rows.values()) {
    if (first.before !== null && last.after === null) deleted.set(kind, (deleted.get(kind) ?? 0) + 1)
  }
  return deleted
}

/** Every record ends and begins exactly the versions that it should. Returns how many were compared. */
async function compareLog(
  reader: Reader,
  accounts: readonly AccountState[],
  position: number,
  onProgress: (done: number, of: number) => void,
): Promise<number> {
  const completeFrom = new Map(accounts.map((state) => [state.account, state.complete_from]))
  let count = 0
  for (let after = Math.max(0, Math.min(position, ...completeFrom.values()) - 1); after < position; ) {
    const { records } = await recordsAfter(reader, after)
    const last = records.at(-1)?.position
    if (!last) break
    for (const [account, own] of Map.groupBy(records, (record) => record.account)) {
      const from = completeFrom.get(account)
      if (from === undefined) continue
      const { steps } = await stepsOf(own)
      const compared = steps.filter((step) => step.position > from && step.position <= position)
      await compareSteps(reader, account, compared)
      count += own.length
    }
    after = last
    onProgress(after, position)
  }
  return count
}

async function compareSteps(reader: Reader, account: string, steps: readonly Step[]): Promise<void> {
  const [first, last] = [steps[0]?.position, steps.at(-1)?.position]
  if (first === undefined || last === undefined) return
  const changed = Map.groupBy(
    steps.flatMap(({ changes }) => changes),
    ({ kind }) => kind,
  )
  const versions = new Map<string, Version[]>()
  for (const [kind, changes] of changed) {
    const keys = [...new Set(changes.map(({ key }) => key))]
    const read = await versionsOf(kind).read(reader, account, keys, { touching: [first, last] })
    for (const [key, own] of Map.groupBy(read, (version) => version.key)) versions.set(`${kind} ${key}`, own)
  }
  const positions = new Map<string, Set<number>>()
  for (const { position, changes } of steps) {
    for (const [name, own] of Map.groupBy(changes, ({ kind, key }) => `${kind} ${key}`)) {
      compareChanges({ account, position }, own, versions.get(name) ?? [])
      positions.set(name, (positions.get(name) ?? new Set()).add(position))
    }
  }
  for (const [name, own] of versions) {
    const known = positions.get(name)
    const odd = own.find(({ from }) => from !== unknownStart && from >= first && from <= last && !known?.has(from))
    if (odd)
      throw new Difference(`${name} of account ${account} has a version from position ${odd.from}, without a record`)
  }
}

function compareChanges(
  place: Pick<RowPlace, 'account' | 'position'>,
  changes: readonly RowChange[],
  versions: readonly Version[],
): void {
  const { position } = place
  const [first] = changes
  if (!first) return
  const at = { ...place, kind: first.kind, key: first.key }
  const ended = versions.find(({ to }) => to === position)?.row
  const began = versions.find(({ from }) => from === position)?.row
  let row = ended
  for (const change of changes) {
    const before = rowOn('before', change, row)
    if (!isSameRow(first.kind, before, row)) throw new Difference(`before ${describe(at, before, row)}`)
    row = rowOn('after', change, row)
  }
  if (!isSameRow(first.kind, row, began)) throw new Difference(`after ${describe(at, row, began)}`)
}

function isSameRow(kind: RowKind, one: Columns | undefined, other: Columns | undefined): boolean {
  const [is, was] = [one, other].map((row) => {
    if (!row || !isStored(kind, row)) return undefined
    const { parent: _, ...rest } = row
    return rest
  })
  return isDeepStrictEqual(is, was)
}
