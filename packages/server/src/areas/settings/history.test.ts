import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { stored } from '../../testing/inspect/rows.ts'

interface Found {
  count: number
  info: { id: string; content: string; user: string; create_time: string }[]
}

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
  })
  afterAll(() => server.close())
  const remember = (user: string, content: string) =>
    server.call('POST', '/hosts/history', { content }, { BK_User: user })
  const last = async (user: string, start = 0, limit = 200) =>
    (await server.call<Found>('GET', `/hosts/history/${start}/${limit}`, undefined, { BK_User: user })).data
  const contents = async (...asked: Parameters<typeof last>) => (await last(...asked)).info.map((each) => each.content)

  it('a search is stored as sent and answered whole', async () => {
    const content = '[{"bk_obj_id":"host","value":"é 主机"}]'
    const made = await remember('amy', content)
    expect(made).toMatchObject({
      status: 200,
      data: {
        id: expect.stringMatching(/^[0-9a-v]{20}$/),
        content,
        user: 'amy',
        create_time: expect.stringMatching(/T/),
      },
    })
    expect(await last('amy')).toEqual({ count: 1, info: [made.data] })
  })

  it('the newest are listed first, in pages', async () => {
    for (const content of ['1', '2', '2', '3']) await remember('ben', content)
    expect(await contents('ben')).toEqual(['3', '2', '2', '1'])
    expect(await contents('ben', 1, 2)).toEqual(['2', '2'])
    expect(await last('ben', 4, 1)).toEqual({ count: 4, info: [] })
  })

  it('it is visible to its user in its account only', async () => {
    await remember('carla', 'secret')
    expect(await contents('dmitri')).toEqual([])
    const far = { BK_User: 'carla', HTTP_BK_SUPPLIER_ACCOUNT: 'far' }
    expect((await server.call<Found>('GET', '/hosts/history/0/10', undefined, far)).data.count).toBe(0)
  })

  it('keeps the newest 200 of a user, also with concurrent requests, and removes none of another user', async () => {
    await remember('fay', 'hers')
    await remember('eve', 'first')
    const [row] = (await stored(server)).searches.filter(({ content }) => content === 'first')
    await server.service.storage.change({ user: 'eve', account: '0', requestId: '' }, async (tx) => {
      const { id: _, ...same } = row as NonNullable<typeof row>
      const rest = Array.from({ length: 198 }, (_, index) => ({
        ...same,
        search_id: `eve ${index}`,
        content: `${index}`,
      }))
      await tx.insertInto('search_history').values(rest).execute()
    })
    await remember('eve', 'fits')
    expect(await last('eve', 199, 1)).toMatchObject({ count: 200, info: [{ content: 'first' }] })
    await Promise.all(Array.from({ length: 10 }, (_, index) => remember('eve', `late ${index}`)))
    const kept = await contents('eve')
    expect(kept).toHaveLength(200)
    expect(kept.slice(0, 10).toSorted()).toEqual(Array.from({ length: 10 }, (_, index) => `late ${index}`))
    expect([kept[10], kept[199]]).toEqual(['fits', '9'])
    expect(await contents('fay')).toEqual(['hers'])
  })
})
