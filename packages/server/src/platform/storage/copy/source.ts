import type { Portion, Shape, Source, Still } from './still.ts'

/** About how much text travels at once. */
const portionSize = 500_000

/**
 * Never carried: who is at work at this moment, and what is written down in other words (the steps of the schema, the
 * counters).
 */
const left = ['migration', 'sequence', 'sender', 'lease']

/** The log is read in order, so that its seals can be checked on the way. */
const orders: Record<string, string> = { log: ' ORDER BY position', seal: ' ORDER BY segment' }

/** Everything a store holds, table by table. */
export async function sourceOf(still: Still, without: readonly string[] = []): Promise<Source> {
  const passed = [...left, ...without]
  const tables = (await still.tables()).filter(({ name }) => !passed.includes(name)).toSorted(byName)
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    for await (const [row] of still.rows(`SELECT count(*) FROM "${name}"`)) counts[name] = Number(row?.[0] ?? 0)
  }
  return {
    engine: still.engine,
    steps: still.steps,
    counters: await still.counters(),
    counts,
    async *portions() {
      for (const table of tables) yield* portionsOf(still, table)
    },
  }
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
