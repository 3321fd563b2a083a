import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness } from '../../testing/data/factories.ts'
import { startServer, type TestServer } from '../../testing/harness.ts'
import type { Tx } from '../change/change.ts'
import { connectionOf } from '../handles.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer('postgres')
})
afterAll(() => server.close())

it('a change that was the victim of a deadlock is retried, and both changes are applied once', async () => {
  const [one, two] = [await makeBusiness(server), await makeBusiness(server)]
  const versions = () =>
    server.service.storage.read
      .selectFrom('business')
      .select('version')
      .where('biz_id', 'in', [one, two])
      .orderBy('biz_id')
      .execute()
  const before = await versions()
  const touch = (tx: Tx, business: number) =>
    tx
      .updateTable('business')
      .set((eb) => ({ version: eb('version', '+', 1) }))
      .where('biz_id', '=', business)
      .execute()
  let arrived = 0
  const bothInside = Promise.withResolvers<void>()
  let runs = 0
  const crosswise = (first: number, second: number) =>
    server.service.storage.change({ user: 'amy', account: '0', requestId: '' }, async (tx) => {
      runs++
      await touch(tx, first)
      if (++arrived === 2) bothInside.resolve()
      await bothInside.promise
      await touch(tx, second)
    })
  await Promise.all([crosswise(one, two), crosswise(two, one)])
  // On a busy machine the victim may retry before the other has continued, and deadlock again.
  expect(runs).toBeGreaterThan(2)
  expect(await versions()).toEqual(before.map(({ version }) => ({ version: version + 2 })))
})

it('statements are prepared again after a migration has added a column to what they select', async () => {
  const id = await makeBusiness(server)
  const { storage } = server.service
  const find = () => storage.read.selectFrom('business').selectAll().where('biz_id', '=', id).execute()
  const touch = () =>
    storage.change({ user: 'amy', account: '0', requestId: '' }, (tx) =>
      tx.selectFrom('business').selectAll().where('biz_id', '=', id).limit(1).execute(),
    )
  // Often enough that every connection has prepared both statements.
  const often = (read: () => Promise<unknown[]>) => Promise.all(Array.from({ length: 20 }, read))
  await often(find)
  await often(touch)
  await storage.upkeep(async (writer) => connectionOf(writer).script('ALTER TABLE business ADD COLUMN later bigint'))
  expect((await often(find)).flat()).toHaveLength(20)
  expect((await often(touch)).flat()).toHaveLength(20)
})
