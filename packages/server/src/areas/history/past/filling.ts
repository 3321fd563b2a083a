// Copies the rows of an account from the live tables, in batches, as they were at the head of the past.
import { type LogRecord, type Reader, recordId, type Writer } from '../../../storage/index.ts'
import { type Columns, nodeKey, type RowKind, readLive, readLiveRows, rowKinds, rowOn } from '../recorded/index.ts'
import { withParent } from './chain.ts'
import { type AccountState, saveAccount, stageOf, stages } from './state.ts'
import { type Step, stepsOf } from './steps.ts'
import { objectVersions, versionsOf } from './tables/index.ts'
import { forever, unknownStart, type Version } from './version.ts'

/** Rows per transaction: reading 1,000 took up to 13 ms of the event loop on SQLite. */
const rowsAtOnce = 250

/** A record after the head does not hold everything: the rows at the head cannot be derived from the live ones. */
export class IncompleteRecord extends Error {}

export type RowsByKind = Map<RowKind, Map<string, Columns | undefined>>

/** Copies the next rows, in a transaction whose statements all see one moment. */
export async function copySome(writer: Writer, state: AccountState, position: number): Promise<void> {
  const { account, stage } = state
  const { rows, copiedTo } = await rowsAtHead(writer, state, position)
  const above = await aboveAt(writer, account, rows)
  for (const [kind, own] of rows) {
    const table = versionsOf(kind)
    const keys = [...own.keys()]
    // Rows that have changed since the stage began have versions already.
    const known = new Set((await table.read(writer, account, keys, 'any')).map(({ key }) => key))
    const versions = [...own].flatMap(([key, row]): Version[] => {
      if (!row || known.has(key)) return []
      return [{ key, from: unknownStart, to: forever, row: kind === 'node' ? withParent(row, above) : row }]
    })
    await table.insert(writer, account, versions)
  }
  const isDone = copiedTo === undefined
  const next = isDone ? stage + 1 : stage
  await saveAccount(writer, account, {
    stage: next,
    copied_to: copiedTo ?? 0,
    ...(stage === stages.small && { began_at: position }),
    ...(next === stages.complete && { complete_from: position, reading_below: position + 1 }),
  })
}

/** The next live rows of a stage as they were at the head. A row that did not exist is undefined. */
export async function rowsAtHead(
  reader: Reader,
  state: Pick<AccountState, 'account' | 'stage' | 'copied_to'>,
  position: number,
): Promise<{ rows: RowsByKind; copiedTo: number | undefined }> {
  const live = await liveRows(reader, state)
  const { steps, incompleteTo } = await stepsOf(await recordsSince(reader, state.account, position))
  if (incompleteTo !== undefined) throw new IncompleteRecord()
  takeBack(live.rows, steps)
  return live
}

const smallKinds = rowKinds.filter((kind) => stageOf(kind) === stages.small)

/** The next live rows of the stage, and the last of them; undefined if there are no more. */
async function liveRows(
  reader: Reader,
  { account, stage, copied_to: after }: Pick<AccountState, 'account' | 'stage' | 'copied_to'>,
): Promise<{ rows: RowsByKind; copiedTo: number | undefined }> {
  if (stage === stages.small) {
    const read = smallKinds.map(async (kind) => [kind, await readLive(reader, account, kind)] as const)
    return { rows: new Map(await Promise.all(read)), copiedTo: undefined }
  }
  const { kinds, keys, isLast } = await nextKeys(reader, account, stage, after)
  const rows: RowsByKind = new Map()
  for (const kind of kinds) {
    rows.set(
      kind,
      await readLiveRows(
        reader,
        account,
        kind,
        keys.map(({ key }) => key),
      ),
    )
  }
  return { rows: withOwnBusinesses(rows), copiedTo: isLast ? undefined : keys.at(-1)?.id }
}

/** The business of a host is that of its placement. */
function withOwnBusinesses(rows: RowsByKind): RowsByKind {
  const placements = rows.get('placement')
  for (const [key, row] of rows.get('host') ?? []) {
    if (row) rows.get('host')?.set(key, { ...row, biz_id: placements?.get(key)?.biz_id })
  }
  return rows
}

type Copied = 'node' | 'host' | 'placement' | 'custom_query' | 'instance_association'

interface Keys {
  readonly kinds: readonly Copied[]
  readonly keys: readonly { readonly id: number; readonly key: string }[]
  readonly isLast: boolean
}

const paged = (kinds: readonly Copied[], keys: Keys['keys']): Keys => ({
  kinds,
  keys,
  isLast: keys.length < rowsAtOnce,
})

async function nextKeys(reader: Reader, account: string, stage: number, after: number): Promise<Keys> {
  switch (stage) {
    case stages.nodes: {
      const rows = await reader
        .selectFrom('node')
        .select(['id', 'object_id', 'inst_id'])
        .where('account', '=', account)
        .where('id', '>', after)
        .orderBy('id')
        .limit(rowsAtOnce)
        .execute()
      return paged(
        ['node'],
        rows.map((row) => ({ id: row.id, key: nodeKey(row.object_id, row.inst_id) })),
      )
    }
    case stages.hosts: {
      const rows = await reader
        .selectFrom('host')
        .select('host_id as id')
        .where('account', '=', account)
        .where('host_id', '>', after)
        .orderBy('host_id')
        .limit(rowsAtOnce)
        .execute()
      return paged(
        ['host', 'placement'],
        rows.map(({ id }) => ({ id, key: String(id) })),
      )
    }
    case stages.queries: {
      // Their ids are texts, and an account has few of them.
      const rows = await reader.selectFrom('custom_query').select('id').where('account', '=', account).execute()
      return { kinds: ['custom_query'], keys: rows.map(({ id }, index) => ({ id: index, key: id })), isLast: true }
    }
    default: {
      const rows = await reader
        .selectFrom('instance_association')
        .select('id')
        .where('account', '=', account)
        .where('id', '>', after)
        .orderBy('id')
        .limit(rowsAtOnce)
        .execute()
      return paged(
        ['instance_association'],
        rows.map(({ id }) => ({ id, key: String(id) })),
      )
    }
  }
}

/** Takes live rows back over the steps after the head. */
function takeBack(rows: RowsByKind, steps: readonly Step[]): void {
  for (const { changes } of steps.toReversed()) {
    for (const change of changes.toReversed()) {
      const own = rows.get(change.kind)
      if (!own || (!own.has(change.key) && stageOf(change.kind) !== stages.small)) continue
      own.set(change.key, rowOn('before', change, own.get(change.key)))
    }
  }
}

/** Records after a position, those without one last: they are numbered after all others. */
export async function recordsSince(reader: Reader, account: string, position: number): Promise<LogRecord[]> {
  const since = () => reader.selectFrom('log').selectAll().where('account', '=', account)
  const [numbered, unnumbered] = [
    await since().where('position', '>', position).orderBy('position').execute(),
    await since().where('position', 'is', null).orderBy('ticket').execute(),
  ]
  const known = new Set(numbered.map(recordId))
  return [...numbered, ...unnumbered.filter((record) => !known.has(recordId(record)))]
}

/** The object above each object, as copied in the first stage. */
async function aboveAt(reader: Reader, account: string, rows: RowsByKind): Promise<(object: string) => unknown> {
  if (!rows.has('node')) return () => undefined
  const objects = await objectVersions(reader, account, 'newest')
  const above = new Map(objects.map(({ key, row }) => [key, row.above]))
  return (object) => above.get(object)
}
