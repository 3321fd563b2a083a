import { describe, expect, it } from 'vitest'
import { postgresDialect } from '../dialect.ts'
import { type Migration, readMigrations, spell } from './migrate.ts'

/** Statements that PostgreSQL runs without reading or rewriting a table, under a short lock. */
const quick = [
  /^CREATE TABLE \w+ \(/,
  /^CREATE SEQUENCE \w+( OWNED BY [\w.]+)?$/,
  /^ALTER SEQUENCE /,
  // A constant default is stored in the catalogue, without rewriting rows; NOT NULL requires one.
  /^ALTER TABLE \w+ ADD COLUMN \w+ \w+( COLLATE "C")?( NOT NULL)? DEFAULT ('[^']*'|-?\d+)$/,
  /^ALTER TABLE \w+ ADD COLUMN \w+ \w+( COLLATE "C")?$/,
  /^ALTER TABLE \w+ ALTER COLUMN \w+ (SET|DROP) DEFAULT/,
  /^ALTER TABLE \w+ ALTER COLUMN \w+ DROP NOT NULL$/,
  // Existing rows are checked later by VALIDATE CONSTRAINT in another migration, which does not block writers.
  /^ALTER TABLE \w+ ADD CONSTRAINT .* NOT VALID$/,
  /^ALTER TABLE \w+ VALIDATE CONSTRAINT \w+$/,
  /^DROP INDEX /,
]

const statementsIn = (sql: string): string[] =>
  sql
    .replace(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.replace(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')

/** Statements that scan, rewrite or lock a table for long while others write to it. */
function slowStatements({ text }: Migration): string[] {
  const statements = statementsIn(spell(text.replace(/^concurrently: .*$/gm, ''), postgresDialect))
  const created = statements.flatMap((statement) => /^CREATE TABLE (\w+)/.exec(statement)?.[1] ?? [])
  // A table created by the same migration has no rows and no users.
  const isOnNew = (statement: string) =>
    created.includes(
      /^(?:CREATE (?:UNIQUE )?INDEX \w+ ON|INSERT INTO|ALTER TABLE) (\w+)\b(?!.* SELECT )/.exec(statement)?.[1] ?? '',
    )
  return statements.filter((statement) => !quick.some((form) => form.test(statement)) && !isOnNew(statement))
}

function faultsOf(migration: Migration): string[] {
  const { name, text } = migration
  const isDeclared = /^-- compatible: (yes|no, .+)$/m.test(text)
  const isExcused = /^-- not online: .+$/m.test(text)
  const indexes = (text.match(/^concurrently: .*$/gm) ?? []).filter(
    (line) => !/^concurrently: CREATE (UNIQUE )?INDEX \w+ ON \w+ .*;$/.test(line),
  )
  const isMixed = /^concurrently: /m.test(text) && statementsIn(text.replace(/^concurrently: .*$/gm, '')).length > 0
  return [
    ...(!isDeclared ? [`${name} must say '-- compatible: yes', or '-- compatible: no, ' and why`] : []),
    ...(isExcused ? [] : slowStatements(migration).map((statement) => `${name} is not online: ${statement}`)),
    ...indexes.map((line) => `${name} must have this on one line, with a semicolon: ${line}`),
    ...(isMixed ? [`${name} must have its indexes in a step of their own: they are built before the rest of it`] : []),
  ]
}

describe('the rules of docs/decisions/0019-upgrades-without-a-pause.md', () => {
  it.each(readMigrations().map((migration) => [migration.name, migration] as const))(
    '%s keeps them',
    (_name, migration) => {
      expect(faultsOf(migration)).toEqual([])
    },
  )

  const faultsIn = (text: string) => faultsOf({ number: 20, name: 'next', checksum: '', text })
  const yes = '-- compatible: yes\n'

  it.each([
    ['ALTER TABLE log ADD COLUMN note {text};'],
    ["ALTER TABLE log ADD COLUMN note {text} NOT NULL DEFAULT '';"],
    ['ALTER TABLE log ADD COLUMN revision {big} NOT NULL DEFAULT 1;'],
    [
      'CREATE TABLE fresh (\n  id {id},\n  name {text} NOT NULL\n);\nCREATE INDEX fresh_name ON fresh (name);\nINSERT INTO fresh (name) VALUES (1);',
    ],
    ['concurrently: CREATE INDEX log_by_note ON log (note);'],
    ['ALTER TABLE node ADD CONSTRAINT node_note CHECK (note IS NOT NULL) NOT VALID;'],
    ['sqlite: UPDATE node SET note = 1;'],
    ['-- not online: an estate has only a few of them\nUPDATE business SET note = 1;'],
  ])('allow %s', (text) => {
    expect(faultsIn(yes + text)).toEqual([])
  })

  it.each([
    ['CREATE INDEX log_by_note ON log (note);'],
    ['CREATE UNIQUE INDEX host_by_note ON host (note);'],
    ['UPDATE log SET note = 1;'],
    ['DELETE FROM log;'],
    ['ALTER TABLE log ALTER COLUMN note TYPE {text};'],
    ['ALTER TABLE log ALTER COLUMN note SET NOT NULL;'],
    ['ALTER TABLE log ADD COLUMN note {big} NOT NULL DEFAULT random();'],
    ['ALTER TABLE log ADD COLUMN note {big} REFERENCES node;'],
    ['ALTER TABLE log ADD CONSTRAINT log_note UNIQUE (note);'],
    ['ALTER TABLE log DROP COLUMN note;'],
    ['ALTER TABLE log RENAME COLUMN note TO other;'],
    ['DROP TABLE log;'],
    ['CREATE TABLE fresh (\n  id {id}\n);\nINSERT INTO fresh (id) SELECT ticket FROM log;'],
    ['LOCK TABLE log;'],
    ['ALTER TABLE log ADD COLUMN note {text};\nconcurrently: CREATE INDEX log_by_note ON log (note);'],
  ])('refuse %s', (text) => {
    expect(faultsIn(yes + text)).toHaveLength(1)
  })

  it('require that a migration declares whether older programs may continue', () => {
    expect(faultsIn('CREATE TABLE fresh (\n  id {id}\n);')).toEqual([expect.stringContaining('must say')])
    expect(faultsIn('-- compatible: no\nCREATE TABLE fresh (\n  id {id}\n);')).toHaveLength(1)
    expect(faultsIn('-- compatible: no, names are unique now\nCREATE TABLE fresh (\n  id {id}\n);')).toEqual([])
  })
})
