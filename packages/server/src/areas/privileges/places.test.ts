import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness } from '../../testing/data/factories.ts'
import { makeSearchable } from '../../testing/data/searchable.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { countReads } from '../../testing/inspect/statements.ts'
import { namesInRoles } from './grants.ts'
import { businessesListing } from './places.ts'

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
  const listing = (user: string, among = roles, account = '0') =>
    businessesListing(server.service.storage.read, account, namesInRoles(user, []), among)

  it('finds each business in which a role lists the user once, by whole names only', async () => {
    const [first, second, third, fourth] = businesses
    expect(await listing('amy')).toEqual([first, fourth])
    expect(await listing('amylee')).toEqual([second])
    expect(await listing('ben')).toEqual([first, third])
    expect(await listing('dan')).toEqual(businesses)
    expect(await listing('dan', ['bk_biz_maintainer'])).toEqual([])
    for (const user of ['am', 'amy,ben', '', 'stranger']) expect(await listing(user)).toEqual([])
  })

  it('reflects every change, and ignores other accounts and archived businesses', async () => {
    const [first, , third] = businesses
    await server.call('PUT', `/biz/0/${third}`, { bk_biz_maintainer: 'eve,amy' })
    expect(await listing('eve')).toEqual([third])
    await server.call('PUT', `/biz/status/disabled/0/${third}`, {})
    expect(await listing('eve')).toEqual([])
    expect(await listing('amy', roles, 'other')).toEqual([])
    expect(await listing('amy')).toContain(first)
  })

  it('scans businesses only for a role that is not searchable', async () => {
    const { storage } = server.service
    const scans = countReads(storage, /strpos|instr/)
    await listing('amy')
    expect(scans.count()).toBe(0)
    await makeSearchable(server, 'biz', ['bk_biz_tester'], false)
    expect(await listing('dan')).toHaveLength(3)
    expect(scans.count()).toBe(1)
    scans.stop()
  })
})
