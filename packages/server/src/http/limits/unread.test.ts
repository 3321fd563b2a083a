import { Agent, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import type { Identity } from '../../identity/index.ts'
import { limitUnreadAnswers, type UnreadLimits } from './unread.ts'

/** More than the buffers of a loopback connection hold. */
const answerBytes = 24_000_000

let app: FastifyInstance
let closed: number
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await app.close()
})

/** Answers each caller, named by the path, with a text of its own. */
async function serve(limits: UnreadLimits): Promise<number> {
  app = fastify()
  closed = 0
  app.decorateRequest('identity', null)
  limitUnreadAnswers(app, () => closed++, limits)
  app.get('/:user', async (req) => {
    const { user } = req.params as { user: string }
    req.identity = { user, account: '0' } as Identity
    return user.padEnd(answerBytes, '.')
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

/** Sends a request and does not read the answer. */
function ask(port: number, user: string): Socket {
  const socket = connect(port, '127.0.0.1').pause()
  socket.on('error', () => {})
  socket.write(`GET /${user} HTTP/1.1\r\nHost: x\r\n\r\n`)
  sockets.push(socket)
  return socket
}

const connections = () => new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)))

describe('a response that its client does not read', () => {
  it('is aborted after a while without progress', async () => {
    const port = await serve({ maxCallerBytes: 1e9, maxBytes: 1e9, stalledMs: 300 })
    ask(port, 'ann')
    await expect.poll(connections, { timeout: 10_000 }).toBe(1)
    await expect.poll(connections, { timeout: 10_000 }).toBe(0)
  })

  it('beyond the limit of its caller closes the oldest connection of that caller, and of no other', async () => {
    const port = await serve({ maxCallerBytes: 3 * answerBytes, maxBytes: 1e9, stalledMs: 60_000 })
    ask(port, 'olga')
    await expect.poll(connections).toBe(1)
    for (let nth = 0; nth < 6; nth++) ask(port, 'ann')
    await expect.poll(() => closed, { timeout: 10_000 }).toBe(3)
    await expect.poll(connections).toBe(4)
  })

  it('beyond the limit of all callers closes the oldest connection of all', async () => {
    const port = await serve({ maxCallerBytes: 1e9, maxBytes: 2 * answerBytes, stalledMs: 60_000 })
    for (const user of ['ann', 'bob', 'cid', 'dan']) ask(port, user)
    await expect.poll(() => closed, { timeout: 10_000 }).toBe(2)
  })

  it('is sent completely to a slow client, whose connection stays open', async () => {
    const port = await serve({ maxCallerBytes: 1e9, maxBytes: 1e9, stalledMs: 1_500 })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const get = (slowly: boolean) =>
      new Promise<number>((resolve, reject) => {
        request({ port, path: '/ann', agent }, async (answer) => {
          let read = 0
          for await (const part of answer) {
            read += part.length
            if (slowly && read % 4_000_000 < part.length) await pause(400)
          }
          resolve(read)
        })
          .once('error', reject)
          .end()
      })
    expect(await get(true)).toBe(answerBytes)
    await pause(2_000)
    expect(await get(false)).toBe(answerBytes)
    expect(await connections()).toBe(1)
    agent.destroy()
  })
})
