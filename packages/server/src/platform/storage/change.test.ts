import { problem } from '@mainline/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findSets, makeBusiness, makeSet, setBody } from '../../testing/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { brokenLinks, isGapless, readLog } from '../../testing/log.ts'
import type { Happened, Tx } from './change.ts'

const actor = { user: 'amy', account: '0', requestId: 'test' }
const something: Happened = {
  operation: 'update',
  object: 'biz',
  instance: 1,
  business: 1,
  description: 'update business',
  before: { a: 1 },
  after: { a: 2 },
}

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())
  const logged = async () => (await readLog(server.service.storage.read)).length

  it('lands rows, record and events together, or not at all', async () => {
    const before = await logged()
    const work = async (tx: Tx) => {
      await tx.insertInto('account').values({ name: 'half', chain_version: 1, model_version: 1 }).execute()
      tx.record(something)
      throw problem('invalid', { field: 'on purpose' })
    }
    await expect(server.service.storage.change(actor, work)).rejects.toThrow('on purpose')
    await expect(server.service.storage.change(actor, work, { bulk: true })).rejects.toThrow('on purpose')
    expect(await logged()).toBe(before)
    const left = await server.service.storage.read
      .selectFrom('account')
      .select('name')
      .where('name', '=', 'half')
      .execute()
    expect(left).toEqual([])
  })

  it('undoes only the change that fails when many share one commit', async () => {
    const business = await makeBusiness(server)
    const before = await logged()
    const names = Array.from({ length: 60 }, (_, index) => `shared ${index % 40}`)
    const answers = await Promise.all(
      names.map((name) => server.call('POST', `/set/${business}`, setBody(business, { bk_set_name: name }))),
    )
    expect(answers.filter((answer) => answer.result)).toHaveLength(40)
    expect(answers.filter((answer) => answer.bk_error_code === 1199014)).toHaveLength(20)
    expect((await findSets(server, business)).data.count).toBe(41)
    expect(await logged()).toBe(before + 40)
  })

  it('numbers 64 clients without a gap, and nothing before what it saw', async () => {
    const business = await makeBusiness(server)
    const ids = await Promise.all([1, 2, 3].map(() => makeSet(server, business, { bk_capacity: 1 })))
    const client = async (index: number) => {
      for (let round = 0; round < 10; round++) {
        const id = ids[(index + round) % ids.length]
        const path = `/set/${business}/${id}`
        await server.call('PUT', path, { bk_biz_id: business, bk_capacity: 1 + index * 10 + round })
      }
    }
    await Promise.all(Array.from({ length: 64 }, (_, index) => client(index)))
    const log = await readLog(server.service.storage.read)
    expect(isGapless(log)).toBe(true)
    expect(brokenLinks(log)).toEqual([])
    // The judges themselves see a record that is missing or out of its turn.
    expect(isGapless(log.toSpliced(5, 1))).toBe(false)
    const updates = log.filter((record) => record.content.pre && record.content.cur)
    expect(brokenLinks(updates.toReversed()).length).toBeGreaterThan(0)
  })

  it('writes nothing at all for a change that alters nothing', async () => {
    const business = await makeBusiness(server)
    const id = await makeSet(server, business, { bk_capacity: 9 })
    const [was] = (await findSets(server, business, { bk_set_id: id })).data.info
    const before = await logged()
    await server.call('PUT', `/set/${business}/${id}`, { ...was, bk_capacity: '9' })
    const [is] = (await findSets(server, business, { bk_set_id: id })).data.info
    expect(is).toEqual(was)
    expect(await logged()).toBe(before)
  })
})
