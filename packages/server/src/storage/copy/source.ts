import { Refusal } from '../../common/refusal.ts'
import { type Migration, readMigrations } from '../migrations/migrate.ts'
import { madeBy } from './made.ts'
import {
  type Counter,
  type Denied,
  type Portion,
  type Shape,
  type Source,
  type StoreSnapshot,
  schemaOf,
} from './snapshot.ts'

/** Approximate characters of a batch. */
const portionSize = 500_000

/**
 * Never copied: the state of running processes, and what the metadata contains already (migrations, counters).
 */
const left = ['migration', 'sequence', 'sender', 'lease', 'waiting_change', 'breaking_step']

/** The log is read in order, so that its seals can be verified while copying. */
const orders: Record<string, string> = { log: ' ORDER BY position', seal: ' ORDER BY segment' }

/** All of Mainline's tables in a store; other tables are ignored. */
export async function sourceOf(
  snapshot: StoreSnapshot,
  { migrations = readMigrations(), without = [] }: { migrations?: Migration[]; without?: readonly string[] } = {},
): Promise<Source> {
  const { tables, counters } = await oursIn(snapshot, migrations, [...left, ...without])
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    for await (const [row] of snapshot.rows(`SELECT count(*) FROM "${name}"`)) counts[name] = Number(row?.[0] ?? 0)
  }
  return {
    engine: snapshot.engine,
    steps: snapshot.steps,
    counters,
    counts,
    async *portions() {
      for (const table of tables) yield* portionsOf(snapshot, table)
    },
  }
}

/** The tables that the migrations created. All must exist and be readable, or the copy would be incomplete. */
async function oursIn(snapshot: StoreSnapshot, migrations: readonly Migration[], passed: readonly string[]) {
  const made = await madeBy(migrations.filter(({ number }) => snapshot.steps.some((step) => step.number === number)))
  const tables = made.tables.filter(({ name }) => !passed.includes(name)).toSorted(byName)
  const there = new Map((await snapshot.tables()).map((table) => [table.name, table]))
  const drawn = new Map((await snapshot.counters()).map((counter) => [keyOf(counter), counter]))
  const lacking = [
    ...tables.filter(({ name }) => !there.has(name)).map(({ name }) => `table ${name}`),
    ...tables.flatMap(({ name, columns }) =>
      columns
        .filter((each) => there.get(name)?.columns.includes(each) === false)
        .map((each) => `column ${name}.${each}`),
    ),
    ...made.counters.filter((counter) => !drawn.has(keyOf(counter))).map(({ name }) => `counter of ${name}`),
  ]
  if (lacking.length > 0) {
    throw new Refusal(`Not all of schema ${schemaOf(snapshot)} is there to be copied: no ${lacking.join(', no ')}.`)
  }
  const counters = made.counters.flatMap((counter) => drawn.get(keyOf(counter)) ?? [])
  refuseDenied([...tables.flatMap(({ name }) => there.get(name) ?? []), ...counters])
  return { tables, counters: counters.map(({ kind, name, value }): Counter => ({ kind, name, value })) }
}

const keyOf = ({ kind, name }: Pick<Counter, 'kind' | 'name'>) => `${kind} ${name}`

function refuseDenied(all: readonly Denied[]): void {
  const grants = [...new Set(all.flatMap(({ grant }) => grant ?? []))]
  if (grants.length === 0) return
  throw new Refusal(`This role may not read all of it. The owner of the tables can grant it:\n${grants.join('\n')}`)
}

const byName = (a: Shape, b: Shape) => (a.name < b.name ? -1 : 1)

async function* portionsOf(snapshot: StoreSnapshot, { name: table, columns }: Shape): AsyncGenerator<Portion> {
  let rows: string[] = []
  let size = 0
  for await (const some of snapshot.rows(
    `SELECT ${columns.map((column) => `"${column}"`)} FROM "${table}"${orders[table] ?? ''}`,
  )) {
    for (const row of some) {
      const text = JSON.stringify(row)
      rows.push(text)
      size += text.length
      if (size < portionSize) continue
      yield { table, columns, rows }
      rows = []
      size = 0
    }
  }
  if (rows.length > 0) yield { table, columns, rows }
}
