import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { configOf, makeStore } from '../../testing/harness.ts'
import { statementsOf } from '../../testing/inspect/explain.ts'
import type { Engine } from '../engine.ts'
import { openEngine } from '../index.ts'
import { migrate, readMigrations } from '../migrations/migrate.ts'
import { holdLease, type Lease } from './lease.ts'
import { number, numberedAtOnce } from './numbering.ts'
import { SettledTickets } from './settled.ts'

// PostgreSQL only: SQLite numbers inside the change.
let engine: Engine
let lease: Lease
let settled: SettledTickets
let clients: pg.Client[]
let connect: () => Promise<pg.Client>
beforeEach(async () => {
  const { databaseUrl, ...store } = await makeStore('postgres')
  engine = await openEngine(configOf({ ...store, databaseUrl }))
  await migrate(engine, readMigrations())
  lease = (await holdLease(engine, 'test')) as Lease
  settled = new SettledTickets(0)
  clients = []
  connect = async () => {
    const client = new pg.Client(databaseUrl)
    clients.push(client)
    await client.connect()
    return client
  }
})
afterEach(async () => {
  for (const client of clients) await client.end()
  await engine.close()
})

const append = (client: pg.Client, name: string, count: number) =>
  client.query(
    `INSERT INTO log (txn_id, ordinal, account, biz_id, object_id, inst_id, operation, description, operator, op_time, ext_key,
       request_id, content, events)
     SELECT $1, nth, '0', 1, 'set', nth, 1, '', 'amy', 1, '', '', '{}', '[]' FROM generate_series(1, $2::int) AS nth`,
    [name, count],
  )

/** A pass as in the keeper, but looking at the writers every time. */
const pass = () =>
  settled.pass(engine, async (after) => {
    let numbered = await number(engine, lease, after)
    while (numbered === numberedAtOnce) numbered = await number(engine, lease, after)
    return numbered !== undefined
  })

/** Pages read by the search for unnumbered records. */
async function pagesRead(client: pg.Client, after: number): Promise<number> {
  const statements = await statementsOf({ engine }, () => number(engine, lease, after))
  const search = statements.find(({ sql }) => sql.startsWith('update "log"'))
  if (!search) throw new Error('nothing was numbered')
  const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${search.sql}`, [...search.parameters])
  const { Plan } = rows[0]['QUERY PLAN'][0]
  return Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']
}

it('numbering does not read more pages while a long backup holds a snapshot', async () => {
  const [backup, writer] = [await connect(), await connect()]
  await backup.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  await backup.query('SELECT count(*) FROM log')
  await append(writer, 'first', 1_000)
  await pass()
  const pagesBefore = await pagesRead(writer, settled.ticket)
  for (let nth = 0; nth < 20; nth++) {
    await append(writer, `later ${nth}`, 1_000)
    await pass()
  }
  expect(await pagesRead(writer, 0)).toBeGreaterThan(pagesBefore + 200)
  expect(await pagesRead(writer, settled.ticket)).toBeLessThan(pagesBefore + 20)
  expect((await writer.query('SELECT count(*)::int AS open FROM log WHERE position IS NULL')).rows).toEqual([
    { open: 0 },
  ])
})

it('a change that draws its ticket early and commits late is numbered', async () => {
  const [slow, quick] = [await connect(), await connect()]
  await slow.query('BEGIN')
  await append(slow, 'slow', 1)
  for (let nth = 0; nth < 3; nth++) {
    await append(quick, `quick ${nth}`, 10)
    await pass()
  }
  expect(settled.ticket).toBe(0)
  await slow.query('COMMIT')
  await pass()
  await pass()
  expect((await quick.query('SELECT count(*)::int AS open FROM log WHERE position IS NULL')).rows).toEqual([
    { open: 0 },
  ])
  expect((await quick.query(`SELECT position::int FROM log WHERE txn_id = 'slow'`)).rows).toEqual([{ position: 31 }])
  expect(settled.ticket).toBe(31)
})

it('an idle process reads only the sequence, until a ticket is drawn', async () => {
  const [open, writer] = [await connect(), await connect()]
  await append(writer, 'numbered', 5)
  await open.query('BEGIN')
  await append(open, 'open', 1)
  await pass()
  await pass()
  // The open transaction has drawn a ticket and may still commit.
  expect(settled.isComplete).toBe(false)
  await open.query('COMMIT')
  await pass()
  await pass()
  expect(settled.isComplete).toBe(true)
  expect(await settled.isUnchanged(engine)).toBe(true)
  await append(writer, 'new', 1)
  expect(await settled.isUnchanged(engine)).toBe(false)
})

it('starts over when the database has gone back to an earlier state', async () => {
  const writer = await connect()
  await append(writer, 'lost', 100)
  await pass()
  expect(settled.ticket).toBe(100)
  await writer.query(`DELETE FROM log; SELECT setval('log_ticket', 50); UPDATE log_head SET position = 50`)
  await append(writer, 'other', 10)
  await pass()
  expect((await writer.query('SELECT count(*)::int AS open FROM log WHERE position IS NULL')).rows).toEqual([
    { open: 0 },
  ])
})
