import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { makeBusiness, setBody } from '../../testing/data/factories.ts'
import { isBehindPooler, startServer, type TestServer } from '../../testing/harness.ts'
import { Batch } from './batch.ts'

let server: TestServer
let business: number
beforeAll(async () => {
  server = await startServer('postgres')
  business = await makeBusiness(server)
})
afterAll(() => server.close())

const createSet = (name: string, headers = {}) =>
  server.call('POST', `/set/${business}`, setBody(business, { bk_set_name: name }), headers)
const addHost = (name: string, ip: string) =>
  server.call('POST', '/hosts/add', {
    bk_biz_id: business,
    host_info: { 0: { bk_host_innerip: ip, bk_host_name: name } },
  })

/** The statements of the transaction that mentions a name, by round trip, without background work. */
async function transactionOf(name: string, request: () => Promise<unknown>): Promise<string[][]> {
  const open = new Map<unknown, { trips: string[][]; isMeant: boolean }>()
  let found: string[][] | undefined
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [batch] = args
    if (batch instanceof Batch) {
      // Behind a pooler each transaction also sets its time limits.
      const sent = batch.statements.map(({ sql }) => sql).filter((sql) => !sql.startsWith('SET LOCAL'))
      if (sent[0]?.startsWith('BEGIN')) open.set(this, { trips: [], isMeant: false })
      const transaction = open.get(this)
      transaction?.trips.push(sent)
      if (transaction && batch.statements.some((each) => each.parameters.some((value) => value?.includes(name)))) {
        transaction.isMeant = true
      }
      if (transaction?.isMeant && sent.at(-1) === 'COMMIT') found = transaction.trips
    }
    return Reflect.apply(original, this, args)
  })
  expect(await request()).toMatchObject({ result: true })
  spy.mockRestore()
  if (!found) throw new Error(`no transaction speaks of ${name}`)
  return found
}
const original = pg.Client.prototype.query

/** The first of each kind also reads the model, and draws the first block of ids. */
async function warm(): Promise<{ set: number; host: number }> {
  const set = await createSet('warm')
  await addHost('warm', '10.0.0.1')
  await createSet('warm 2')
  const host = await addHost('warm 2', '10.0.0.2')
  return { set: Number(set.data.bk_set_id), host: Number(Object(host.data.hosts)['0']) }
}

// Behind a pooler new connections come at any time, and each drops the ids that were drawn ahead.
it.skipIf(isBehindPooler)('changes take few statements, in fewer round trips', async () => {
  const { set, host } = await warm()
  const costs: Record<string, { trips: number; statements: number }> = {}
  const count = async (what: string, name: string, request: () => Promise<unknown>) => {
    const trips = await transactionOf(name, request)
    costs[what] = { trips: trips.length, statements: trips.flat().length }
  }
  await count('create set', 'counted', () => createSet('counted'))
  await count('create set as its maintainer', 'by amy', () => createSet('by amy', { BK_User: 'amy' }))
  await count('update set', 'renamed', () =>
    server.call('PUT', `/set/${business}/${set}`, { bk_biz_id: business, bk_set_desc: 'renamed' }),
  )
  await count('create host', 'counted', () => addHost('counted', '10.0.0.3'))
  await count('update host', 'renamed', () =>
    server.call('PUT', '/hosts/batch', { bk_host_id: `${host}`, bk_comment: 'renamed' }),
  )
  expect(costs).toEqual({
    // BEGIN, account, business | set, log, COMMIT
    'create set': { trips: 2, statements: 6 },
    // BEGIN, account, grants, business | set, log, COMMIT
    'create set as its maintainer': { trips: 2, statements: 7 },
    // BEGIN, account, business | set | set, log, COMMIT
    'update set': { trips: 3, statements: 7 },
    // BEGIN, account, business | areas, known addresses, idle module | host | address, placement, values | log, COMMIT
    'create host': { trips: 5, statements: 12 },
    // BEGIN, account, host | business, host | log, COMMIT
    'update host': { trips: 3, statements: 7 },
  })
})
