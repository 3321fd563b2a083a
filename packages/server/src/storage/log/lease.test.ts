import { afterEach, beforeEach, expect, it } from 'vitest'
import { uniqueId } from '../../common/unique-id.ts'
import { configOf, makeStore } from '../../testing/harness.ts'
import type { Engine } from '../engine.ts'
import { writerOver } from '../handles.ts'
import { openEngine } from '../index.ts'
import { migrate, readMigrations } from '../migrations/migrate.ts'
import { holdLease, type Lease } from './lease.ts'
import { number } from './numbering.ts'

// PostgreSQL only: SQLite numbers inside the change, without a lease.
let engine: Engine
beforeEach(async () => {
  engine = await openEngine(configOf(await makeStore('postgres')))
  await migrate(engine, readMigrations())
})
afterEach(() => engine.close())

/** Simulates a clock of the database that is earlier or later. */
const shiftLease = (byMs: number) =>
  engine.transact(uniqueId(), async (connection) => {
    await writerOver(connection, engine)
      .updateTable('lease')
      .set((eb) => ({ expires: eb('expires', '+', byMs) }))
      .execute()
  })

it('has one holder at a time, and a former holder cannot number anything, however late it wakes up', async () => {
  const first = (await holdLease(engine, 'first')) as Lease
  expect(await holdLease(engine, 'second')).toBeUndefined()
  expect(await number(engine, first, 0)).toBe(0)
  await shiftLease(-60_000)
  const second = (await holdLease(engine, 'second')) as Lease
  expect(await number(engine, first, 0)).toBeUndefined()
  expect(await number(engine, second, 0)).toBe(0)
  expect(await holdLease(engine, 'first')).toBeUndefined()
})

it('does not stay with a dead holder if the clock of the database is set back', async () => {
  await holdLease(engine, 'dead')
  await shiftLease(3_600_000)
  expect(await holdLease(engine, 'alive')).toBeDefined()
})
