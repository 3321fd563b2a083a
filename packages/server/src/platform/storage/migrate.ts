import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Refusal } from '../refusal.ts'
import { uniqueId } from '../unique-id.ts'
import type { Dialect } from './dialect.ts'
import type { Engine } from './engine.ts'
import { type Reader, readerOver, writerOver } from './handles.ts'
import { Violation } from './violation.ts'

export interface Migration {
  number: number
  name: string
  text: string
  checksum: string
}

const shipped = fileURLToPath(new URL('../../../migrations/', import.meta.url))

/** `0001_foundation.sql` and so on: forward only, never edited once released. */
export function readMigrations(directory = shipped): Migration[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, `file://${directory}`), 'utf8')
      return {
        number: Number.parseInt(file, 10),
        name: file.replace(/\.sql$/, ''),
        text,
        checksum: createHash('sha256').update(text).digest('hex'),
      }
    })
}

/** A migration in the engine's own words. */
export function spell(text: string, dialect: Dialect): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const [, engine, rest] = /^(sqlite|postgres): (.*)$/.exec(line) ?? []
      if (engine === undefined) return [line]
      return engine === dialect.name ? [rest] : []
    })
    .join('\n')
    .replace(/\{(big|real|text|json|id)\}/g, (_, type: keyof Dialect['types']) => dialect.types[type])
    .replace(/^\);$/gm, `)${dialect.tableSuffix};`)
}

/** Brings the schema up to date. Two processes that start at once do each step once. */
export async function migrate(engine: Engine, migrations: Migration[]): Promise<string[]> {
  await createHistory(engine)
  const reader = readerOver(engine.reads, engine)
  const applied = await history(reader)
  refuseUnknown(applied, migrations)

  const done: string[] = []
  for (const migration of migrations.filter((each) => !applied.has(each.number))) {
    if (await apply(engine, migration)) done.push(migration.name)
  }
  return done
}

async function history(reader: Reader): Promise<Map<number, string>> {
  const rows = await reader.selectFrom('migration').select(['number', 'checksum']).execute()
  return new Map(rows.map((row) => [row.number, row.checksum]))
}

function refuseUnknown(applied: Map<number, string>, migrations: Migration[]): void {
  const newest = Math.max(0, ...migrations.map((each) => each.number))
  const found = Math.max(0, ...applied.keys())
  if (found > newest) {
    throw new Refusal(
      `The database has schema ${found}, and this program knows only ${newest}. Start the release that upgraded it, or a newer one.`,
    )
  }
  for (const { number, name, checksum } of migrations) {
    const stored = applied.get(number)
    if (stored !== undefined && stored !== checksum) {
      throw new Refusal(`Migration ${name} is not the one that was applied to this database: its checksum differs.`)
    }
  }
}

async function createHistory(engine: Engine): Promise<void> {
  const { big, text } = engine.dialect.types
  const sql = `CREATE TABLE IF NOT EXISTS migration (
    number ${big} PRIMARY KEY, name ${text} NOT NULL, checksum ${text} NOT NULL, applied_at ${big} NOT NULL
  )${engine.dialect.tableSuffix}`
  // PostgreSQL's IF NOT EXISTS is not safe against a second process doing the same: one of them is told so.
  await engine.script(sql).catch(() => engine.script(sql))
}

/** The row in the history goes first: a second process waits for it, and then finds that the step is done. */
async function apply(engine: Engine, migration: Migration): Promise<boolean> {
  const { number, name, checksum } = migration
  try {
    await engine.transact(uniqueId(), async (connection) => {
      await writerOver(connection, engine)
        .insertInto('migration')
        .values({ number, name, checksum, applied_at: Date.now() })
        .execute()
      await connection.script(spell(migration.text, engine.dialect))
    })
    return true
  } catch (error) {
    if (error instanceof Violation && error.constraint === 'migration_pkey') return false
    throw new Refusal(`Migration ${name} failed and was undone: ${(error as Error).message}`)
  }
}
