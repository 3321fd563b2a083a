import type { Connection } from '../connection.ts'
import { rowsOf } from '../connection.ts'
import { type EngineParts, writerOver } from '../handles.ts'
import { type Verdict, verifyLog } from '../log/verify.ts'
import { build, type Migration, refuseUnknown } from '../migrations/migrate.ts'
import type { Signer } from '../seals/signer.ts'
import type { Loading } from './loading.ts'
import { settle } from './settle.ts'
import type { Contents, Source } from './snapshot.ts'

interface FillOptions {
  readonly how: 'restored' | 'moved'
  readonly migrations: Migration[]
  /** Signs the seals that a restore adds. */
  readonly signer?: Signer | undefined
  onRows(count: number): void
}

/** Fills a new store from a copy in one transaction: the rows under their original schema, then the newer migrations. */
export async function fill(
  connection: Connection,
  parts: EngineParts,
  loading: Loading,
  source: Source,
  options: FillOptions,
): Promise<Verdict> {
  const now = Date.now()
  const { how, migrations } = options
  await load(connection, parts, loading, source, options)
  const newer = migrations.filter((each) => !source.steps.some((step) => step.number === each.number))
  await build(connection, parts, newer, () => now)
  await settle(writerOver(connection, parts), how, now, options.signer)
  return verifyLog(writerOver(connection, parts), () => {})
}

/** Loads the rows under the schema with which they were written. */
export async function load(
  connection: Connection,
  parts: EngineParts,
  loading: Loading,
  source: Source,
  { how, migrations, onRows }: FillOptions,
): Promise<void> {
  const now = Date.now()
  const taken = new Map(source.steps.map((step) => [step.number, step.applied_at]))
  // The time of the first migration identifies a store: a moved store stays the same one, a restored store is a new one.
  const at = ({ number }: Migration) => (how === 'moved' ? (taken.get(number) ?? now) : now)
  const steps = migrations.filter((each) => taken.has(each.number))
  await build(connection, parts, steps, at)
  await loading.begin()
  for await (const portion of source.portions()) {
    await loading.insert(portion)
    onRows(portion.rows.length)
  }
  await loading.raise(source.counters)
  await loading.finish()
  await compareCounts(connection, source)
}

export function refuseUnknownSchema({ steps }: Pick<Contents, 'steps'>, what: string, migrations: Migration[]): void {
  refuseUnknown(what, new Map(steps.map((step) => [step.number, step.checksum])), migrations)
}

async function compareCounts(connection: Connection, { counts }: Contents): Promise<void> {
  for (const [table, expected] of Object.entries(counts)) {
    const { rows } = await connection.query(`SELECT count(*) AS rows FROM "${table}"`, [])
    const found = rowsOf<{ rows: number }>(rows)[0]?.rows
    if (found !== expected) throw new Error(`table ${table} has ${found} rows, and should have ${expected}`)
  }
}
