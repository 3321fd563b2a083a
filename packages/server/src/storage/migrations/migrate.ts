import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { messageOf } from '../../common/error-code.ts'
import { Refusal, refusalBehind } from '../../common/refusal.ts'
import { uniqueId } from '../../common/unique-id.ts'
import { LockTimeout } from '../change/lock-timeout.ts'
import type { Connection } from '../connection.ts'
import type { Dialect } from '../dialect.ts'
import type { Engine } from '../engine.ts'
import { type EngineParts, type Reader, readerOver, writerOver } from '../handles.ts'
import { Violation } from '../violation.ts'
import { buildOnline, indexesIn } from './online-index.ts'

export interface Migration {
  number: number
  name: string
  text: string
  checksum: string
}

/** Pause after a migration could not get its locks, so that writers can proceed. */
const lockPauseMs = 1_000
const claimPauseMs = 100

const shipped = fileURLToPath(new URL('../../../migrations/', import.meta.url))

/** `0001_schema.sql` and so on: forward only, never edited after a release. */
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

/** Whether processes of the previous release must stop making changes once this migration is applied; declared in its text. */
const isBreaking = ({ text }: Migration) => !/^-- compatible: yes$/m.test(text)

/** A migration with its placeholders replaced by the engine's types. */
export function spell(text: string, dialect: Dialect): string {
  return text
    .replace(/^concurrently: (.*?);?$/gm, '$1;')
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

/**
 * Migrates the schema while other processes continue to read and write. If two processes start at the same time, each migration is
 * applied once. `onWait` is called when a migration has to wait for locks.
 */
export async function migrate(
  engine: Engine,
  migrations: Migration[],
  onWait: (step: string) => void = () => {},
): Promise<string[]> {
  const reader = readerOver(engine.reads, engine)
  // Read first: a role without the privilege to create tables can serve an up-to-date schema.
  const applied = await history(reader).catch(async () => {
    await createHistory(engine)
    return history(reader)
  })
  refuseUnknown('The database', applied, migrations, await newestBreaking(reader, applied))

  const done: string[] = []
  const missing = migrations.filter((each) => !applied.has(each.number))
  for (const migration of missing) {
    const script = await withoutIndexes(engine, migration)
    if (await apply(engine, migration, script, onWait)) done.push(migration.name)
  }
  // The other migrations were applied by another process, perhaps of another release with further ones.
  if (done.length < missing.length) {
    const now = await history(reader)
    refuseUnknown('The database', now, migrations, await newestBreaking(reader, now))
  }
  return done
}

/** The script of a migration without its indexes, which are built first, concurrently, if the engine can. */
async function withoutIndexes(engine: Engine, { name, text }: Migration): Promise<string> {
  const { dialect, runAlone } = engine
  if (!runAlone) return spell(text, dialect)
  for (const index of indexesIn(text)) {
    await buildOnline(engine, runAlone, index).catch((error) => {
      throw refusalBehind(error) ?? new Refusal(`Migration ${name} failed at ${index.name}: ${messageOf(error)}`)
    })
  }
  return spell(text.replace(/^concurrently: .*$/gm, ''), dialect)
}

/** For servers that must not migrate by themselves: refuses with the command to run, and changes nothing. */
export async function expectUpToDate(engine: Engine, migrations: Migration[]): Promise<void> {
  // Without the table of migrations there is no schema.
  const reader = readerOver(engine.reads, engine)
  const applied = await history(reader).catch(() => new Map<number, string>())
  refuseUnknown('The database', applied, migrations, await newestBreaking(reader, applied))
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

/** The newest breaking migration, which a program must know in order to serve. */
async function newestBreaking(reader: Reader, applied: ReadonlyMap<number, string>): Promise<number> {
  // The table is created by the first migration.
  if (applied.size === 0) return 0
  const rows = await reader.selectFrom('breaking_step').select('number').execute()
  return newestOf(rows.map((row) => row.number))
}

/** Copying needs all migrations to be known, serving only those up to the newest breaking one. */
export function refuseUnknown(
  what: string,
  applied: ReadonlyMap<number, string>,
  migrations: Migration[],
  found = newestOf(applied.keys()),
): void {
  const newest = newestOf(migrations.map((each) => each.number))
  if (found > newest) {
    throw new Refusal(
      `${what} has schema ${found}, and this program knows only ${newest}. Start the release that upgraded it, or a newer one.`,
    )
  }
  for (const { number, name, checksum } of migrations) {
    const stored = applied.get(number)
    if (stored !== undefined && stored !== checksum) {
      throw new Refusal(
        `Migration ${name} is not the one that was applied to this database: its checksum differs. A development version made it, ` +
          "which has no upgrade: save its estate with that version ('mainline export estate'), and import it into an empty database.",
      )
    }
  }
}

async function createHistory(engine: Engine): Promise<void> {
  const sql = historyTable(engine.dialect)
  // PostgreSQL's IF NOT EXISTS is not safe against concurrent creation: one of two processes gets an error and retries.
  try {
    await engine.script(sql).catch(() => engine.script(sql))
  } catch (error) {
    throw (
      refusalBehind(error) ??
      new Refusal(`The tables of Mainline can be neither read nor created: ${messageOf(error)}.`)
    )
  }
}

const historyTable = ({ types: { big, text }, tableSuffix }: Dialect) => `CREATE TABLE IF NOT EXISTS migration (
    number ${big} PRIMARY KEY, name ${text} NOT NULL, checksum ${text} NOT NULL, applied_at ${big} NOT NULL
  )${tableSuffix}`

/**
 * The row of the migration is inserted first: a second process waits on its key until the first one commits, and then skips the
 * migration, or applies it if the first one was rolled back.
 *
 * A statement that waits for a table lock blocks all later statements on the table. So each attempt waits only briefly, is rolled back,
 * and pauses before the next.
 */
async function apply(
  engine: Engine,
  migration: Migration,
  script: string,
  onWait: (step: string) => void,
): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    let isOurs = false
    const begin = () => {
      isOurs = true
    }
    try {
      const step = { migration, script, at: Date.now(), onBegun: begin }
      await engine.transact(uniqueId(), (connection) => take(connection, engine, step), { lockWait: 'brief' })
      return true
    } catch (error) {
      if (error instanceof Violation && error.constraint === 'migration_pkey') return false
      if (hasWaited(error)) {
        if (isOurs && tries === 1) onWait(migration.name)
        await pause(isOurs ? lockPauseMs : claimPauseMs)
        continue
      }
      throw (
        refusalBehind(error) ?? new Refusal(`Migration ${migration.name} failed and was undone: ${messageOf(error)}`)
      )
    }
  }
}

/** A lock timeout of PostgreSQL, or our timeout for an answer. */
function hasWaited(error: unknown): boolean {
  if (error instanceof LockTimeout) return true
  const cause = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof Error)) return false
  return ('code' in cause && cause.code === '55P03') || cause.message === 'Query read timeout'
}

interface MigrationStep {
  readonly migration: Migration
  readonly script: string
  readonly at: number
  onBegun?(): void
}

async function take(connection: Connection, parts: EngineParts, step: MigrationStep): Promise<void> {
  const { number, name, checksum } = step.migration
  const writer = writerOver(connection, parts)
  await writer.insertInto('migration').values({ number, name, checksum, applied_at: step.at }).execute()
  step.onBegun?.()
  await connection.script(step.script)
  if (isBreaking(step.migration)) await writer.insertInto('breaking_step').values({ number }).execute()
}

/** Applies the migrations inside an existing transaction, for a store that is created from a copy. */
export async function build(
  connection: Connection,
  parts: EngineParts,
  migrations: readonly Migration[],
  at: (step: Migration) => number,
): Promise<void> {
  await connection.script(historyTable(parts.dialect))
  for (const migration of migrations) {
    await take(connection, parts, { migration, script: spell(migration.text, parts.dialect), at: at(migration) })
  }
}
