import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness } from '../../testing/data/factories.ts'
import { makeSearchable } from '../../testing/data/searchable.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { countReads } from '../../testing/inspect/statements.ts'
import { businessesNaming } from './places.ts'

eachEngine((engine) => {
  let server: TestServer
  let businesses: number[]
  beforeAll(async () => {
    server = await startServer(engine)
    businesses = []
    for (const bk_biz_maintainer of ['amy,ben', 'amylee', 'ben', 'cat,amy']) {
      const business = await makeBusiness(server)
      await server.call('PUT', `/biz/0/${business}`, { bk_biz_maintainer, bk_biz_tester: 'dan' })
      businesses.push(business)
    }
  })
  afterAll(() => server.close())
  const roles = ['bk_biz_maintainer', 'bk_biz_tester']
  const naming = (user: string, among = roles) =>
    businessesNaming(server.service.storage.read, { account: '0', user }, among)

  it('finds each business in which a role names the user once, by whole names only', async () => {
    const [first, second, third, fourth] = businesses
    expect(await naming('amy')).toEqual([first, fourth])
    expect(await naming('amylee')).toEqual([second])
    expect(await naming('ben')).toEqual([first, third])
    expect(await naming('dan')).toEqual(businesses)
    expect(await naming('dan', ['bk_biz_maintainer'])).toEqual([])
    for (const user of ['am', 'amy,ben', '', 'stranger']) expect(await naming(user)).toEqual([])
  })

  it('reflects every change, and ignores other accounts and archived businesses', async () => {
    const [first, , third] = businesses
    await server.call('PUT', `/biz/0/${third}`, { bk_biz_maintainer: 'eve,amy' })
    expect(await naming('eve')).toEqual([third])
    await server.call('PUT', `/biz/status/disabled/0/${third}`, {})
    expect(await naming('eve')).toEqual([])
    expect(await businessesNaming(server.service.storage.read, { account: 'other', user: 'amy' }, roles)).toEqual([])
    expect(await naming('amy')).toContain(first)
  })

  it('scans businesses only for a role that is not searchable', async () => {
    const { storage } = server.service
    const scans = countReads(storage, /strpos|instr/)
    await naming('amy')
    expect(scans.count()).toBe(0)
    await makeSearchable(server, 'biz', ['bk_biz_tester'], false)
    expect(await naming('dan')).toHaveLength(3)
    expect(scans.count()).toBe(1)
    scans.stop()
  })
})
