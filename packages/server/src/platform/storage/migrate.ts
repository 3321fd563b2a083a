import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Refusal, refusalBehind } from '../refusal.ts'
import { uniqueId } from '../unique-id.ts'
import type { Connection } from './connection.ts'
import type { Dialect } from './dialect.ts'
import type { Engine } from './engine.ts'
import { type EngineParts, type Reader, readerOver, writerOver } from './handles.ts'
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
  const reader = readerOver(engine.reads, engine)
  // Looked at first: a role that may not create anything can serve a schema that is up to date.
  const applied = await history(reader).catch(async () => {
    await createHistory(engine)
    return history(reader)
  })
  refuseUnknown('The database', applied, migrations)

  const done: string[] = []
  const missing = migrations.filter((each) => !applied.has(each.number))
  for (const migration of missing) {
    if (await apply(engine, migration)) done.push(migration.name)
  }
  // Whoever took the other steps may be another release, and may have gone further.
  if (done.length < missing.length) refuseUnknown('The database', await history(reader), migrations)
  return done
}

/** For whoever wants to take the steps at a time of their own: says what to run, and changes nothing. */
export async function expectUpToDate(engine: Engine, migrations: Migration[]): Promise<void> {
  // Without a history there is no schema at all.
  const applied = await history(readerOver(engine.reads, engine)).catch(() => new Map<number, string>())
  refuseUnknown('The database', applied, migrations)
  if (migrations.every((each) => applied.has(each.number))) return
  throw new Refusal(
    `The database has schema ${newestOf(applied.keys())} and this program needs ${newestOf(migrations.map((each) => each.number))}. ` +
      "Run 'mainline migrate', as the role that owns the tables, or start with MAINLINE_MIGRATE=true.",
  )
}

async function history(reader: Reader): Promise<Map<number, string>> {
  const rows = await reader.selectFrom('migration').select(['number', 'checksum']).execute()
  return new Map(rows.map((row) => [row.number, row.checksum]))
}

const newestOf = (numbers: Iterable<number>) => Math.max(0, ...numbers)

export function refuseUnknown(what: string, applied: ReadonlyMap<number, string>, migrations: Migration[]): void {
  const newest = newestOf(migrations.map((each) => each.number))
  const found = newestOf(applied.keys())
  if (found > newest) {
    throw new Refusal(
      `${what} has schema ${found}, and this program knows only ${newest}. Start the release that upgraded it, or a newer one.`,
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
  const sql = historyTable(engine.dialect)
  // PostgreSQL's IF NOT EXISTS is not safe against a second process doing the same: one of them is told so.
  try {
    await engine.script(sql).catch(() => engine.script(sql))
  } catch (error) {
    throw (
      refusalBehind(error) ??
      new Refusal(`The tables of Mainline can be neither read nor created: ${(error as Error).message}.`)
    )
  }
}

const historyTable = ({ types: { big, text }, tableSuffix }: Dialect) => `CREATE TABLE IF NOT EXISTS migration (
    number ${big} PRIMARY KEY, name ${text} NOT NULL, checksum ${text} NOT NULL, applied_at ${big} NOT NULL
  )${tableSuffix}`

/**
 * The row in the history goes first: a second process waits for it, however long the step takes, and then finds that it is
 * done. Should it be undone there, it is taken here.
 */
async function apply(engine: Engine, migration: Migration): Promise<boolean> {
  while (true) {
    let isOurs = false
    const begin = () => {
      isOurs = true
    }
    try {
      await engine.transact(uniqueId(), (connection) => take(connection, engine, migration, Date.now(), begin))
      return true
    } catch (error) {
      if (error instanceof Violation && error.constraint === 'migration_pkey') return false
      if (!isOurs && hasWaited(error)) continue
      throw (
        refusalBehind(error) ??
        new Refusal(`Migration ${migration.name} failed and was undone: ${(error as Error).message}`)
      )
    }
  }
}

/** PostgreSQL gave up waiting for a lock, or we for the answer. */
function hasWaited(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof Error)) return false
  return ('code' in cause && cause.code === '55P03') || cause.message === 'Query read timeout'
}

async function take(
  connection: Connection,
  parts: EngineParts,
  migration: Migration,
  at: number,
  onBegun: () => void = () => {},
): Promise<void> {
  const { number, name, checksum, text } = migration
  await writerOver(connection, parts)
    .insertInto('migration')
    .values({ number, name, checksum, applied_at: at })
    .execute()
  onBegun()
  await connection.script(spell(text, parts.dialect))
}

/** The same steps inside a transaction that is already there, for a store that is being made from a copy. */
export async function build(
  connection: Connection,
  parts: EngineParts,
  migrations: readonly Migration[],
  at: (step: Migration) => number,
): Promise<void> {
  await connection.script(historyTable(parts.dialect))
  for (const migration of migrations) await take(connection, parts, migration, at(migration))
}
