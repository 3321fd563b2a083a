import { problem } from '@mainline/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findSets, makeBusiness, makeSet, setBody } from '../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { brokenLinks, isGapless, readLog } from '../../testing/inspect/log.ts'
import { connectionOf, isCommitted } from '../handles.ts'
import type { Tx } from './change.ts'
import type { ChangeRecord } from './change-record.ts'

const actor = { user: 'amy', account: '0', requestId: 'test' }
const something: ChangeRecord = {
  operation: 'update',
  object: 'biz',
  instance: 1,
  business: 1,
  description: 'update business',
  revision: 2,
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

  it('commits rows, record and events together, or none of them', async () => {
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

  it('a dry run rolls back all its changes; each sees those before it, and a failing one undoes only itself', async () => {
    const { rehearse, change, read } = server.service.storage
    const before = await logged()
    const add = (name: string) => async (tx: Tx) => {
      await tx.insertInto('account').values({ name, chain_version: 1, model_version: 1 }).execute()
      tx.model.known = { version: await tx.modelVersion }
      tx.record(something)
      return tx.modelVersion
    }
    const raise = (tx: Tx) =>
      tx
        .updateTable('account')
        .set((eb) => ({ model_version: eb('model_version', '+', 1) }))
        .where('name', '=', '0')
        .execute()
    const told = await rehearse(actor, async ({ reader, change: tried }) => {
      const first = await tried(add('first'))
      await tried(raise, { chain: 'exclusive' })
      const taken = tried(async (tx) => {
        await add('undone')(tx)
        await add('first')(tx)
      })
      await expect(taken).rejects.toMatchObject({ rule: 'unique' })
      // The version of the rolled back change is drawn again.
      expect(await tried(async (tx) => tx.model.known)).toBeUndefined()
      expect(await tried(add('second'))).toBe(first + 1)
      expect(await tried(async (tx) => tx.model.known)).toEqual({ version: first + 1 })
      expect(isCommitted(reader)).toBe(false)
      return (await reader.selectFrom('account').select('name').orderBy('name').execute()).map(({ name }) => name)
    })
    expect(told).toEqual(['0', 'first', 'second'])
    expect((await read.selectFrom('account').select('name').execute()).map(({ name }) => name)).toEqual(['0'])
    expect(await logged()).toBe(before)
    await expect(rehearse(actor, () => Promise.reject(new Error('on purpose')))).rejects.toThrow('on purpose')
    // A transaction that ended by itself, as on a full disk, is not implicitly restarted by the next change.
    const ended = rehearse(actor, async ({ change: tried }) => {
      const end = async (tx: Tx) => {
        await connectionOf(tx).script('ROLLBACK')
        throw problem('notReady')
      }
      await expect(tried(end)).rejects.toThrow(problem('notReady').message)
      await tried(add('kept')).catch(() => {})
    })
    await expect(ended).rejects.toThrow(problem('notReady').message)
    expect(await read.selectFrom('account').select('name').where('name', '=', 'kept').execute()).toEqual([])
    expect(await change(actor, async (tx) => tx.modelVersion)).toBe(
      await rehearse(actor, (rehearsal) => rehearsal.change(async (tx) => tx.modelVersion)),
    )
  })

  it('undoes only the failing change when many share one commit', async () => {
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

  it('numbers the records of 64 clients without gaps, and each after those it has seen', async () => {
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
    // The checks themselves detect a record that is missing or out of order.
    expect(isGapless(log.toSpliced(5, 1))).toBe(false)
    const updates = log.filter((record) => record.content.pre && record.content.cur)
    expect(brokenLinks(updates.toReversed()).length).toBeGreaterThan(0)
  })

  it('writes nothing for a change that alters nothing', async () => {
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
