import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeBusiness, setBody } from '../../packages/server/src/testing/data/factories.ts'
import { callWith, makeToken } from '../../packages/server/src/testing/data/identities.ts'
import { startServer, type TestServer } from '../../packages/server/src/testing/harness.ts'

let server: TestServer
let [admin, reader, stranger] = ['', '', '']
let business: number
const sockets: Socket[] = []

beforeAll(async () => {
  server = await startServer('sqlite', { flags: ['--auth=token', '--caller-requests=4'] })
  admin = await makeToken(server, { user: 'admin' })
  reader = await makeToken(server, { user: 'reader', readOnly: true })
  stranger = await makeToken(server, { user: 'stranger' })
  business = await makeBusiness({ ...server, call: callWith(server, admin) } as TestServer)
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await server.close()
})

interface Upload {
  readonly token: string
  readonly path: string
  readonly announced: number
  readonly sent?: string
}

/** Sends the head of a request and the beginning of its body, then stalls. */
function stall({ token, path, announced, sent = '{' }: Upload): { answer: Promise<string>; socket: Socket } {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  sockets.push(socket)
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: mainline',
    'Content-Type: application/json',
    `Content-Length: ${announced}`,
    ...(token ? [`Authorization: Bearer ${token}`] : []),
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${sent}`)
  const answer = new Promise<string>((resolve, reject) => {
    socket.once('data', (bytes: Buffer) => resolve(bytes.toString()))
    socket.once('error', reject)
  })
  return { answer, socket }
}

const statusOf = async (upload: Upload) => Number(/^HTTP\/1\.1 (\d+)/.exec(await stall(upload).answer)?.[1])

describe('before its body has arrived, a request is refused', () => {
  it('by the limit of its operation', async () => {
    const path = `/api/v3/set/${business}`
    expect(await statusOf({ token: admin, path, announced: 256 * 1024 + 1 })).toBe(413)
    const search = '/api/v3/hosts/search'
    expect(await statusOf({ token: admin, path: search, announced: 1024 * 1024 + 1 })).toBe(413)
    expect(await statusOf({ token: admin, path: '/api/v3/hosts/add', announced: 8 * 1024 * 1024 + 1 })).toBe(413)
  })

  it('by the privileges that its path requires', async () => {
    const path = `/api/v3/set/${business}`
    expect(await statusOf({ token: stranger, path, announced: 200_000 })).toBe(403)
    expect(await statusOf({ token: reader, path, announced: 200_000 })).toBe(403)
    const file = `/api/v3/import/hosts/${business}`
    expect(await statusOf({ token: stranger, path: file, announced: 30_000_000 })).toBe(415)
  })

  it('by the number of concurrent requests of its caller, including those with an incomplete body', async () => {
    const user = await makeToken(server, { user: 'slow' })
    const path = '/api/v3/hosts/search'
    const stalled = Array.from({ length: 8 }, () => stall({ token: user, path, announced: 1_000 }))
    let refused = 0
    for (const { answer } of stalled) void answer.then(() => refused++)
    await expect.poll(() => refused).toBe(4)
    const search = () => callWith(server, user)('POST', '/hosts/search', {})
    expect((await search()).status).toBe(429)
    // Other callers are not affected, and the slots are free again once the clients have disconnected.
    expect(await callWith(server, admin)('POST', '/hosts/search', {})).toMatchObject({ status: 200 })
    for (const { socket } of stalled) socket.destroy()
    await expect.poll(async () => (await search()).status).toBe(200)
  })
})

describe('a body', () => {
  it('up to the limit of its operation is accepted, in any chunks', async () => {
    const call = callWith(server, admin)
    const text = JSON.stringify(setBody(business, { bk_set_name: 'large' }))
    const padded = text.padEnd(256 * 1024)
    expect(await call('POST', `/set/${business}`, padded)).toMatchObject({ result: true })
    const values = Array.from({ length: 10_000 }, (_, index) => `${'x'.repeat(60)}${index}`)
    const condition = [
      { bk_obj_id: 'host', fields: [], condition: [{ field: 'bk_sn', operator: '$in', value: values }] },
    ]
    expect(await call('POST', '/hosts/search', { condition })).toMatchObject({ result: true })
    const path = `/api/v3/set/${business}`
    const body = JSON.stringify(setBody(business, { bk_set_name: 'by and by' }))
    const { socket, answer } = stall({ token: admin, path, announced: body.length, sent: '' })
    for (const character of body) socket.write(character)
    expect(await answer).toContain('"result":true')
  })

  it('that is malformed or too deep is refused in the same way when it is large', async () => {
    const call = callWith(server, admin)
    for (const pad of ['', ' '.repeat(100_000)]) {
      expect(await call('POST', '/hosts/search', `{"a":1,}${pad}`)).toMatchObject({ bk_error_code: 1199000 })
      expect(await call('POST', '/hosts/search', `${'['.repeat(70)}${']'.repeat(70)}${pad}`)).toMatchObject({
        bk_error_code: 1199000,
        bk_error_msg: expect.stringContaining('64'),
      })
      expect(await call('POST', '/hosts/search', `{"condition":[{"bk_obj_id":"\\u0000"}]}${pad}`)).toMatchObject({
        bk_error_code: 1199006,
        bk_error_msg: expect.stringContaining('condition.0.bk_obj_id'),
      })
    }
  })
})
