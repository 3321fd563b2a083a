import { afterAll, beforeAll, expect, it } from 'vitest'
import { recordSets, waitingFor, watch } from '../../../../testing/clients/watching.ts'
import { bearing, callWith, idOf, makeToken } from '../../../../testing/data/identities.ts'
import { eachEngine, startServer, type TestServer } from '../../../../testing/harness.ts'
import { readLog } from '../../../../testing/inspect/log.ts'

eachEngine((engine) => {
  let server: TestServer
  let group: string
  let admin: ReturnType<typeof callWith>
  beforeAll(async () => {
    server = await startServer(engine, { flags: ['--auth=token'] })
    admin = callWith(server, await makeToken(server))
    await admin('POST', '/topo/privilege/group/0', { group_name: 'listeners', user_list: 'amy;bob' })
    const found = await admin<[{ group_id: string }]>('POST', '/topo/privilege/group/0/search', {})
    group = found.data[0].group_id
    await admin('POST', `/topo/privilege/group/detail/0/${group}`, { back_config: ['event'] })
  })
  afterAll(() => server.close())

  const ways = {
    'the token': (token: string) => server.service.tokens.revoke('test', idOf(token)),
    'the right': () => admin('PUT', `/topo/privilege/group/0/${group}`, { user_list: 'bob' }),
  }
  const restore = () => admin('PUT', `/topo/privilege/group/0/${group}`, { user_list: 'amy;bob' })

  it.each(Object.entries(ways))('a stream ends before the next event once %s is revoked', async (_, take) => {
    await restore()
    const token = await makeToken(server, { user: 'amy' })
    await readLog(server.service.storage.read)
    const answer = await fetch(`${server.url}/api/v3/event/stream?resource=set`, { headers: bearing(token) })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    await waitingFor(server, 1)
    await recordSets(server, 1)
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()
    let heard = ''
    while (!heard.includes('data: ')) heard += text((await reader.read()).value)
    await waitingFor(server, 1)
    await take(token)
    await recordSets(server, 1)
    let rest = ''
    for (let part = await reader.read(); !part.done; part = await reader.read()) rest += text(part.value)
    expect(rest).not.toContain('data: ')
  })

  it.each(Object.entries(ways))('a waiting watch answers no events once %s is revoked', async (_, take) => {
    await restore()
    const token = await makeToken(server, { user: 'amy' })
    await readLog(server.service.storage.read)
    const watching = watch(server, 'set', {}, bearing(token))
    await waitingFor(server, 1)
    await take(token)
    await recordSets(server, 1)
    expect(await watching).toMatchObject({ result: false, data: null })
  })
})
