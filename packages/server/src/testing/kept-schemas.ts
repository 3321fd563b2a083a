// Data written by older releases, kept as text: one file per schema.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Contents, Portion, Source } from '../storage/copy/snapshot.ts'

const folder = fileURLToPath(new URL('./schemas/', import.meta.url))

export const keptSchema = (number: number) => `${folder}${String(number).padStart(4, '0')}.jsonl`

export const keptSchemas = () => readdirSync(folder).map((name) => Number.parseInt(name, 10))

/** A line with metadata, then for each batch a line with its columns and one per row. */
export async function writeKept({ engine, steps, counters, counts, portions }: Source): Promise<string> {
  const lines = [JSON.stringify({ engine, steps, counters, counts } satisfies Contents)]
  for await (const { table, columns, rows } of portions()) lines.push(JSON.stringify({ table, columns }), ...rows)
  return `${lines.join('\n')}\n`
}

export function readKept(number: number): Source {
  const [first = '', ...lines] = readFileSync(keptSchema(number), 'utf8').trimEnd().split('\n')
  const portions: (Portion & { rows: string[] })[] = []
  for (const line of lines) {
    if (line.startsWith('{')) portions.push({ ...JSON.parse(line), rows: [] })
    else portions.at(-1)?.rows.push(line)
  }
  return {
    ...(JSON.parse(first) as Contents),
    async *portions() {
      yield* portions
    },
  }
}
