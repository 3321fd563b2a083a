import type { Connection } from '../connection.ts'
import { type EngineParts, writerOver } from '../handles.ts'
import { type Verdict, verifyLog } from '../log/verify.ts'
import { build, type Migration, refuseUnknown } from '../migrate.ts'
import type { Loading } from './loading.ts'
import { settle } from './settle.ts'
import type { Contents, Source } from './still.ts'

export interface FillOptions {
  readonly how: 'restored' | 'moved'
  readonly migrations: Migration[]
  onRows(count: number): void
}

/** Makes a store from a copy, all in the transaction of the connection: as it was, then the newer steps. */
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
  await settle(writerOver(connection, parts), how, now)
  return verifyLog(writerOver(connection, parts), () => {})
}

/** The rows under the schema that they were written under. */
export async function load(
  connection: Connection,
  parts: EngineParts,
  loading: Loading,
  source: Source,
  { how, migrations, onRows }: FillOptions,
): Promise<void> {
  const now = Date.now()
  const taken = new Map(source.steps.map((step) => [step.number, step.applied_at]))
  // When the first step was taken tells this store from any other: moved it is the same one, restored it is not.
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
    const found = (rows as { rows: number }[])[0]?.rows
    if (found !== expected) throw new Error(`table ${table} has ${found} rows, and should have ${expected}`)
  }
}
