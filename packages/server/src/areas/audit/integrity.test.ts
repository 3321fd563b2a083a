import type { audit, DataOf } from '@mainline/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sealNext } from '../../storage/log/seals.ts'
import { makeBusiness, makeSet } from '../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { readLog } from '../../testing/inspect/log.ts'

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
    const business = await makeBusiness(server)
    for (const name of ['one', 'two']) {
      await makeSet(server, business, { bk_set_name: name })
      await readLog(server.service.storage.read)
      await sealNext(server.service.storage.engine, Date.now(), true)
    }
    await makeSet(server, business)
    await readLog(server.service.storage.read)
  })
  afterAll(() => server.close())
  const look = (query = '', headers: Record<string, string> = {}) =>
    server.call<DataOf<typeof audit.getLogIntegrity>>('GET', `/audit/integrity${query}`, undefined, headers)

  it('reports an intact log, from the beginning or from a given segment', async () => {
    const whole = { segments: 2, unsealed: 1, removed: 0, next: null, faults: [] }
    const { data } = await look()
    expect(data).toMatchObject({ ...whole, checked: data.position, records: data.position - 1 })
    expect((await look('?after=0')).data).toEqual(data)
    expect((await look('?after=1')).data).toMatchObject({ ...whole, segments: 1, records: 1 })
    expect((await look('?after=2')).data).toMatchObject({ ...whole, segments: 0, records: 0 })
  })

  it('counts only records of the account', async () => {
    const before = (await look()).data
    const far = { HTTP_BK_SUPPLIER_ACCOUNT: 'far' }
    await server.call('POST', '/biz/far', { bk_biz_name: 'elsewhere' })
    await readLog(server.service.storage.read)
    const here = (await look()).data
    expect([here.records, here.unsealed]).toEqual([before.records, before.unsealed])
    expect(here.position).toBeGreaterThan(before.position)
    expect((await look('', far)).data).toMatchObject({
      records: 0,
      unsealed: here.position - before.position,
      faults: [],
    })
  })

  it('names records that were modified directly in the database', async () => {
    const { engine: stored } = server.service.storage
    await stored.script("UPDATE log SET operator = 'stranger' WHERE position = 2")
    const { data } = await look()
    expect(data.faults).toEqual([
      { fault: 'changed', segment: expect.any(Number), first_position: 1, last_position: expect.any(Number) },
    ])
    await stored.script("UPDATE log SET operator = 'admin' WHERE position = 2")
    expect((await look()).data.faults).toEqual([])
  })

  it('requires administrators or audit, and refuses to continue from an unknown segment', async () => {
    expect(await look('', { BK_User: 'amy' })).toMatchObject({ status: 403, bk_error_code: 9900403 })
    for (const after of ['x', '-1', '1.5', '1e3', '9'.repeat(20), '%00', '1&after=2']) {
      expect(await look(`?after=${after}`), after).toMatchObject({ status: 400, bk_error_code: 1199009 })
    }
    for (const after of ['77', '9'.repeat(15)]) {
      expect(await look(`?after=${after}`)).toMatchObject({ status: 400, bk_error_code: 1199006 })
    }
  })
})
