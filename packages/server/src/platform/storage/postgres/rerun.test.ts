import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness } from '../../../testing/factories.ts'
import { startServer, type TestServer } from '../../../testing/harness.ts'
import type { Tx } from '../change.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer('postgres')
})
afterAll(() => server.close())

it('runs a change again that fell to a deadlock, and both happen once', async () => {
  const [one, two] = [await makeBusiness(server), await makeBusiness(server)]
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
  // Who fell may be back before the other has woken up, on a busy machine: then both meet once more.
  expect(runs).toBeGreaterThan(2)
  const versions = await server.service.storage.read
    .selectFrom('business')
    .select('version')
    .where('biz_id', 'in', [one, two])
    .execute()
  expect(versions).toEqual([{ version: 3 }, { version: 3 }])
})
