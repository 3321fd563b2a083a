import { afterEach, beforeEach, expect, it } from 'vitest'
import { configOf, makeStore } from '../../../testing/harness.ts'
import { uniqueId } from '../../unique-id.ts'
import type { Engine } from '../engine.ts'
import { writerOver } from '../handles.ts'
import { openEngine } from '../index.ts'
import { migrate, readMigrations } from '../migrate.ts'
import { holdLease, type Lease } from './lease.ts'
import { number } from './numbering.ts'

// SQLite numbers inside the change and knows no lease.
let engine: Engine
beforeEach(async () => {
  engine = await openEngine(configOf(await makeStore('postgres')))
  await migrate(engine, readMigrations())
})
afterEach(() => engine.close())

/** As if the clock of the database stood so much earlier or later, in milliseconds. */
const shiftLease = (milliseconds: number) =>
  engine.transact(uniqueId(), async (connection) => {
    await writerOver(connection, engine)
      .updateTable('lease')
      .set((eb) => ({ expires: eb('expires', '+', milliseconds) }))
      .execute()
  })

it('is held by one at a time, and whoever lost it numbers nothing, however late it wakes up', async () => {
  const first = (await holdLease(engine, 'first')) as Lease
  expect(await holdLease(engine, 'second')).toBeUndefined()
  expect(await number(engine, first)).toBe(0)
  await shiftLease(-60_000)
  const second = (await holdLease(engine, 'second')) as Lease
  expect(await number(engine, first)).toBeUndefined()
  expect(await number(engine, second)).toBe(0)
  expect(await holdLease(engine, 'first')).toBeUndefined()
})

it('does not stay with a dead holder when the clock of the database is set back', async () => {
  await holdLease(engine, 'dead')
  await shiftLease(3_600_000)
  expect(await holdLease(engine, 'alive')).toBeDefined()
})
