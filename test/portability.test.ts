import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { postgresDialect } from '../packages/server/src/storage/dialect.ts'
import { readMigrations, spell } from '../packages/server/src/storage/migrations/migrate.ts'

/** Features that managed PostgreSQL services and poolers restrict, and anything that depends on a session. */
const forbidden: Record<string, RegExp> = {
  'advisory locks': /\bpg_(try_)?advisory_/i,
  'locks on whole tables': /\bLOCK\s+TABLE\b/i,
  'LISTEN and NOTIFY': /\b(LISTEN|NOTIFY|UNLISTEN)\s+[\w"$]+\s*[;`]|\bpg_notify\b/,
  // A transaction may learn its own number, by which another connection finds out how it ended: decision 25.
  'snapshots and row versions as values': /\b(txid_\w+|pg_current_snapshot|pg_snapshot_\w+|xmin|xmax)\b/i,
  'places of rows': /\bctid\b/i,
  'code inside the database': /\b(plpgsql|CREATE\s+(OR\s+REPLACE\s+)?(FUNCTION|PROCEDURE|TRIGGER|RULE)|DO\s+\$\$)/i,
  'temporary and unlogged tables': /\b(TEMP|TEMPORARY|UNLOGGED)\s+TABLE\b/i,
  'constraints that wait for the commit': /\b(DEFERRABLE|INITIALLY\s+DEFERRED)\b/i,
  'exclusion constraints': /\bEXCLUDE\s+USING\b/i,
  'kinds of index beside the ordered one': /\bUSING\s+(gist|spgist|brin|hash|gin)\b/i,
  extensions: /\bCREATE\s+EXTENSION\b/i,
  'cursors that outlive their transaction': /\bCURSOR\s+WITH\s+HOLD\b/i,
  'types of the network': /::\s*(inet|cidr|macaddr)\b/i,
  'inheritance and enumerations': /\b(INHERITS\s*\(|CREATE\s+TYPE\b)/i,
}

function lacking(text: string): string[] {
  return Object.entries(forbidden)
    .filter(([, words]) => words.test(text))
    .map(([what]) => what)
}

it('uses only features of PostgreSQL that work behind poolers and on managed services', () => {
  const sources = globSync('packages/server/src/**/*.ts', { exclude: ['**/*.test.ts', '**/testing/**'] })
  expect(sources.length).toBeGreaterThan(150)
  const texts = [
    ...sources.map((file) => ({ file, text: readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '') })),
    ...readMigrations().map(({ name, text }) => ({ file: name, text: spell(text, postgresDialect) })),
  ]
  expect(texts.flatMap(({ file, text }) => lacking(text).map((what) => `${file}: ${what}`))).toEqual([])
})

it.each([
  ['advisory locks', 'SELECT pg_advisory_xact_lock(1)'],
  ['locks on whole tables', 'lock table log in exclusive mode'],
  ['LISTEN and NOTIFY', 'LISTEN changes;'],
  ['snapshots and row versions as values', 'SELECT pg_current_snapshot()'],
  ['places of rows', 'SELECT ctid FROM log'],
  ['code inside the database', 'CREATE OR REPLACE FUNCTION f() RETURNS trigger'],
  ['temporary and unlogged tables', 'CREATE TEMP TABLE kept AS SELECT 1'],
  ['kinds of index beside the ordered one', 'CREATE INDEX i ON t USING gin (x)'],
])('would detect %s', (what, text) => {
  expect(lacking(text)).toEqual([what])
})
