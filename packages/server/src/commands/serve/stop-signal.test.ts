import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { makeStore } from '../../testing/harness.ts'
import { spawnServer } from '../../testing/process.ts'

// A terminal sends Ctrl+C to npm and to the server, and npm passes its own on: the server gets it two or three times.
it('a signal that arrives several times within a moment is one request to stop, and waits for running requests', async () => {
  const store = await makeStore('sqlite')
  const server = await spawnServer(store)
  const watch = server.call('POST', '/event/watch/resource/host', { bk_start_from: Math.floor(Date.now() / 1000) })
  await pause(300)
  server.child.kill('SIGINT')
  await pause(100)
  server.child.kill('SIGINT')
  const code = await server.end('SIGTERM')
  expect(code).toBe(0)
  expect((await watch).result).toBe(true)
  store.remove()
})

it('another signal, sent while the stop takes long, ends the server immediately', async () => {
  const store = await makeStore('sqlite')
  const server = await spawnServer(store)
  // A request whose body never arrives completely keeps the server waiting.
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) })
  const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': 'application/json' } }
  const open = fetch(`${server.url}/api/v3/biz/search/0`, init as RequestInit).catch(() => undefined)
  await pause(300)
  server.child.kill('SIGTERM')
  await pause(1_500)
  expect(server.child.exitCode).toBe(null)
  expect(await server.end('SIGTERM')).toBe(1)
  await open
  store.remove()
})
