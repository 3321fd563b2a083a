import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeBusiness, setBody } from '../../../testing/data/factories.ts'
import { type Answer, eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { type ServerProcess, spawnServer } from '../../../testing/process.ts'

const admin = { user: 'admin', account: '0', requestId: '' }
const unknownAttribute = 1199011

eachEngine((engine) => {
  let server: TestServer
  /** If processes share a database, the model is changed through one process and used through another. */
  let other: ServerProcess | undefined
  let business: number
  beforeAll(async () => {
    server = await startServer(engine)
    business = await makeBusiness(server)
    if (engine === 'postgres') other = await spawnServer(server.store)
  })
  afterAll(async () => {
    await other?.end('SIGTERM')
    await server.close()
  })

  const elsewhere = (method: string, path: string, body?: unknown): Promise<Answer<Record<string, unknown>>> =>
    (other ?? server).call(method, path, body)
  const addAttribute = (id: string) =>
    elsewhere('POST', '/object/attr', {
      ...{ bk_supplier_account: '0', bk_obj_id: 'set', bk_property_id: id, bk_property_name: id },
      ...{ bk_property_type: 'singlechar', bk_property_group: 'default' },
    })
  const createSet = (more: Record<string, unknown>) => server.call('POST', `/set/${business}`, setBody(business, more))

  it('a change sees the model of the change before it, which shares its commit or was made by another process', async () => {
    // Cached here.
    expect(await createSet({})).toMatchObject({ result: true })
    let sent: Promise<Answer>[] = []
    // On SQLite the others wait for this change, and then share one commit.
    await server.service.storage.change(admin, async () => {
      sent = [addAttribute('first')]
      await pause(engine === 'sqlite' ? 100 : 0)
      if (engine === 'sqlite') sent.push(createSet({ first: 'x' }))
      await pause(100)
    })
    for (const answer of await Promise.all(sent)) expect(answer).toMatchObject({ result: true })
    expect(await createSet({ first: 'y' })).toMatchObject({ result: true, data: { first: 'y' } })

    const added = await addAttribute('second')
    expect(await createSet({ second: 'y' })).toMatchObject({ result: true, data: { second: 'y' } })
    expect(await elsewhere('DELETE', `/object/attr/${added.data.id}`)).toMatchObject({ result: true })
    expect(await createSet({ second: 'z' })).toMatchObject({ bk_error_code: unknownAttribute })
    expect(await createSet({ first: 'z' })).toMatchObject({ result: true })
  })

  it('takes no statement for the model inside a change, nor before it, while the model stays the same', async () => {
    await createSet({})
    const { storage } = server.service
    const statements: string[] = []
    const { reads } = storage.engine
    const query = reads.query.bind(reads)
    Object.assign(reads, {
      query: (sql: string, parameters: readonly unknown[]) => {
        statements.push(sql)
        return query(sql, parameters)
      },
    })
    try {
      expect(await createSet({})).toMatchObject({ result: true })
    } finally {
      Object.assign(reads, { query })
    }
    expect(statements.filter((sql) => /"object"|"attribute"|model_version/.test(sql))).toEqual([])
  })
})
