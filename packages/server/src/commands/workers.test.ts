import { execFileSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { makeStore } from '../testing/harness.ts'
import { runCommand, type ServerProcess, spawnServer } from '../testing/process.ts'

const workersOf = ({ child }: ServerProcess): number[] => {
  const lines = execFileSync('ps', ['-e', '-o', 'ppid=,pid='], { encoding: 'utf8' }).trim().split('\n')
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.flatMap(([parent, pid = 0]) => (parent === child.pid ? pid : [])).filter(isAlive)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A new connection each time, so that every worker is met. */
const ask = (server: ServerProcess, path: string) => fetch(`${server.url}${path}`, { headers: { connection: 'close' } })

const statusOf = (server: ServerProcess): Promise<number> =>
  ask(server, '/healthz').then(
    ({ status }) => status,
    () => 0,
  )

const answered = /^mainline_request_duration_seconds_count\{operation="search_business",status="200"\} (\d+)$/m

it('two workers serve one port, replace each other without losing a request, and end together', async () => {
  const store = await makeStore('postgres')
  const server = await spawnServer(store, ['--workers=2', '--connections=2'])
  await expect.poll(() => workersOf(server)).toHaveLength(2)

  // What either has answered is in what either tells.
  for (let nth = 0; nth < 6; nth++) {
    const body = JSON.stringify({ fields: [] })
    const headers = { connection: 'close', 'content-type': 'application/json' }
    expect((await fetch(`${server.url}/api/v3/biz/search/0`, { method: 'POST', headers, body })).status).toBe(200)
  }
  await expect
    .poll(async () => Number(answered.exec(await (await ask(server, '/metrics')).text())?.[1]), { timeout: 60_000 })
    .toBe(6)

  // Killed: another takes its place.
  const [first = 0] = workersOf(server)
  process.kill(first, 'SIGKILL')
  await expect.poll(() => workersOf(server).filter((pid) => pid !== first), { timeout: 60_000 }).toHaveLength(2)

  // It may have been the only one that listened already.
  await expect.poll(() => statusOf(server), { timeout: 60_000 }).toBe(200)

  // Renewed one by one: whoever asks meanwhile is answered.
  const before = workersOf(server)
  let asking = true
  const statuses: Promise<number[]> = (async () => {
    const seen: number[] = []
    while (asking) {
      seen.push(await statusOf(server))
      await pause(5)
    }
    return seen
  })()
  server.child.kill('SIGHUP')
  await expect.poll(() => workersOf(server).filter((pid) => !before.includes(pid)), { timeout: 60_000 }).toHaveLength(2)
  await expect.poll(() => workersOf(server), { timeout: 60_000 }).toHaveLength(2)
  asking = false
  expect(new Set(await statuses)).toEqual(new Set([200]))

  const last = workersOf(server)
  expect(await server.end('SIGTERM')).toBe(0)
  expect(last.filter(isAlive)).toEqual([])
}, 180_000)

it('says what is wrong once, and ends, when no worker can start', async () => {
  const refused = await runCommand(['serve', '--workers=2', '--data-dir=unused'])
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('Set DATABASE_URL to share PostgreSQL') })
  const away = await runCommand(['serve', '--workers=2', '--database-url=postgres://nobody@127.0.0.1:1/none'])
  expect(away.code).toBe(1)
  expect(away.output.match(/does not answer/g)).toHaveLength(1)
})

it('no worker outlives the one that leads it', async () => {
  const store = await makeStore('postgres')
  const server = await spawnServer(store, ['--workers=2', '--connections=2'])
  await expect.poll(() => workersOf(server)).toHaveLength(2)
  const workers = workersOf(server)
  await server.end('SIGKILL')
  await expect.poll(() => workers.filter(isAlive), { timeout: 10_000 }).toEqual([])
})

it('a stop that comes while a worker is starting is not waited for in vain', async () => {
  const store = await makeStore('postgres')
  // The first has greeted, the others have only just been started.
  const server = await spawnServer(store, ['--workers=2', '--connections=2'])
  expect(await Promise.race([server.end('SIGTERM'), pause(10_000, 'still there')])).toBe(0)
  store.remove()
})
