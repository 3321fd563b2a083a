import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startKeepAliveClients } from '../../testing/clients/keep-alive-clients.ts'
import { isFull } from '../../testing/full.ts'
import { makeStore } from '../../testing/harness.ts'
import { type ServerProcess, spawnServer } from '../../testing/process.ts'

/** How often the server has logged this since it was started. */
function logOf({ child }: ServerProcess): (message: string) => number {
  let text = ''
  child.stdout?.on('data', (chunk) => (text += chunk))
  return (message) => text.split(message).length - 1
}

it('a stop answers every request that keep-alive clients have sent on their connections', async () => {
  const store = await makeStore('sqlite')
  for (let round = 0; round < (isFull ? 3 : 1); round++) {
    const server = await spawnServer(store)
    const clients = startKeepAliveClients(server.url)
    await expect.poll(() => clients.outcomes.answered).toBeGreaterThan(200)
    expect(await server.end('SIGTERM')).toBe(0)
    const { lost, refused } = await clients.stop()
    // Not those of `lostWhenNew`: between its last accept() and its end no process can prevent that the kernel accepts one more.
    expect(lost).toEqual([])
    expect(refused).toBeGreaterThan(0)
  }
  store.remove()
})

it('SIGHUP replaces the workers, again and again, and no request of keep-alive clients is refused or lost', async () => {
  const store = await makeStore('postgres')
  const server = await spawnServer(store, ['--workers=2', '--connections=2'])
  const logged = logOf(server)
  const clients = startKeepAliveClients(server.url)
  await expect.poll(() => clients.outcomes.answered).toBeGreaterThan(100)
  for (let reload = 1; reload <= 2; reload++) {
    server.child.kill('SIGHUP')
    await expect.poll(() => logged('reload finished')).toBe(reload)
  }
  // At the first signal the second worker may not have been started yet.
  expect(logged('replaced by another worker')).toBeGreaterThanOrEqual(3)
  expect(await clients.stop()).toEqual({ answered: expect.any(Number), refused: 0, lost: [], lostWhenNew: [] })
  expect(await server.end('SIGTERM')).toBe(0)
  store.remove()
})

it('a worker that was replaced stays for an idle connection, and closes it when all stop', async () => {
  const store = await makeStore('postgres')
  const server = await spawnServer(store, ['--workers=2', '--connections=2'])
  const logged = logOf(server)
  const { hostname, port } = new URL(server.url)
  const request = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const idle = [connect(Number(port), hostname), connect(Number(port), hostname)]
  for (const socket of idle) {
    socket.write(request)
    expect(String((await once(socket, 'data'))[0])).toMatch(/Connection: keep-alive/i)
  }
  server.child.kill('SIGHUP')
  await expect.poll(() => logged('new workers are serving')).toBe(1)
  await pause(3_000)
  expect(logged('reload finished')).toBe(0)
  const [used, unused] = idle
  used?.write(request)
  expect(Buffer.concat((await used?.toArray()) ?? []).toString()).toMatch(/^HTTP\/1.1 200 OK[\s\S]*Connection: close/i)
  const began = performance.now()
  expect(await server.end('SIGTERM')).toBe(0)
  expect(performance.now() - began).toBeLessThan(30_000)
  await unused?.toArray()
  store.remove()
})

it('SIGHUP does not end a process without workers: it says what to do instead', async () => {
  const store = await makeStore('sqlite')
  const server = await spawnServer(store)
  const logged = logOf(server)
  server.child.kill('SIGHUP')
  await expect.poll(() => logged('SIGHUP is ignored')).toBe(1)
  expect((await server.call('POST', '/biz/search/0', { fields: [] })).result).toBe(true)
  expect(await server.end('SIGTERM')).toBe(0)
  store.remove()
})
