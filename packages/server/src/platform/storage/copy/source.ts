import { Refusal } from '../../refusal.ts'
import { type Migration, readMigrations } from '../migrate.ts'
import { madeBy } from './made.ts'
import { type Counter, type Denied, type Portion, type Shape, type Source, type Still, schemaOf } from './still.ts'

/** About how much text travels at once. */
const portionSize = 500_000

/**
 * Never carried: who is at work at this moment, and what is written down in other words (the steps of the schema, the
 * counters).
 */
const left = ['migration', 'sequence', 'sender', 'lease', 'waiting_change']

/** The log is read in order, so that its seals can be checked on the way. */
const orders: Record<string, string> = { log: ' ORDER BY position', seal: ' ORDER BY segment' }

/** Everything of ours that a store holds, table by table; what somebody else keeps beside it is left alone. */
export async function sourceOf(
  still: Still,
  { migrations = readMigrations(), without = [] }: { migrations?: Migration[]; without?: readonly string[] } = {},
): Promise<Source> {
  const { tables, counters } = await oursIn(still, migrations, [...left, ...without])
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    for await (const [row] of still.rows(`SELECT count(*) FROM "${name}"`)) counts[name] = Number(row?.[0] ?? 0)
  }
  return {
    engine: still.engine,
    steps: still.steps,
    counters,
    counts,
    async *portions() {
      for (const table of tables) yield* portionsOf(still, table)
    },
  }
}

/** What the steps of the schema have made: all of it is there and may be read, or it would be no copy. */
async function oursIn(still: Still, migrations: readonly Migration[], passed: readonly string[]) {
  const made = await madeBy(migrations.filter(({ number }) => still.steps.some((step) => step.number === number)))
  const tables = made.tables.filter(({ name }) => !passed.includes(name)).toSorted(byName)
  const there = new Map((await still.tables()).map((table) => [table.name, table]))
  const drawn = new Map((await still.counters()).map((counter) => [keyOf(counter), counter]))
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
    throw new Refusal(`Not all of schema ${schemaOf(still)} is there to be copied: no ${lacking.join(', no ')}.`)
  }
  const counters = made.counters.flatMap((counter) => drawn.get(keyOf(counter)) ?? [])
  refuseDenied([...tables.flatMap(({ name }) => there.get(name) ?? []), ...counters])
  return { tables, counters: counters.map(({ kind, name, value }): Counter => ({ kind, name, value })) }
}

const keyOf = ({ kind, name }: Pick<Counter, 'kind' | 'name'>) => `${kind} ${name}`

function refuseDenied(all: readonly Denied[]): void {
  const grants = [...new Set(all.flatMap(({ grant }) => grant ?? []))]
  if (grants.length === 0) return
  throw new Refusal(
    `Not all of it may be read by this role. Whoever owns the tables can change that:\n${grants.join('\n')}`,
  )
}

const byName = (a: Shape, b: Shape) => (a.name < b.name ? -1 : 1)

async function* portionsOf(still: Still, { name: table, columns }: Shape): AsyncGenerator<Portion> {
  let rows: string[] = []
  let size = 0
  for await (const some of still.rows(
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
