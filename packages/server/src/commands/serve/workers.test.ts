import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { makeStore } from '../../testing/harness.ts'
import { runCommand, type ServerProcess, spawnServer } from '../../testing/process.ts'

/** Running processes and their parents; zombies are left out. */
function processes(): Map<number, number> {
  const lines = execFileSync('ps', ['-e', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' }).trim().split('\n')
  const rows = lines.map((line) => line.trim().split(/\s+/)).filter(([, , state]) => !state?.startsWith('Z'))
  return new Map(rows.map(([pid, parent]) => [Number(pid), Number(parent)]))
}

const workersOf = ({ child }: ServerProcess): number[] =>
  [...processes()].flatMap(([pid, parent]) => (parent === child.pid ? pid : []))

const isAlive = (pid: number): boolean => processes().has(pid)

/** A new connection each time, to reach every worker. */
const ask = (server: ServerProcess, path: string) => fetch(`${server.url}${path}`, { headers: { connection: 'close' } })

const statusOf = (server: ServerProcess): Promise<number> =>
  ask(server, '/healthz').then(
    ({ status }) => status,
    () => 0,
  )

/** The status of a worker other than this one; 0 while none listens. */
async function statusWithout(server: ServerProcess, worker: number): Promise<number> {
  process.kill(worker, 'SIGSTOP')
  const status = await Promise.race([statusOf(server), statusOf(server), pause(500, 0)])
  process.kill(worker, 'SIGCONT')
  return status
}

const answered = /^mainline_request_duration_seconds_count\{operation="search_business",status="200"\} (\d+)$/m

it('two workers serve one port, replace each other without losing a request, and stop together', async () => {
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

  // Renewed one by one: requests are answered meanwhile.
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
  expect(refused).toMatchObject({ code: 2, output: expect.stringContaining('Set DATABASE_URL to use PostgreSQL') })
  const away = await runCommand(['serve', '--workers=2', '--database-url=postgres://stranger@127.0.0.1:1/none'])
  expect(away.code).toBe(1)
  expect(away.output.match(/does not answer/g)).toHaveLength(1)
})

it('starts a worker again that failed to start, and logs it', async () => {
  const store = await makeStore('postgres')
  const failing = join(store.dataDir, 'failing.mjs')
  writeFileSync(
    failing,
    "import cluster from 'node:cluster'\nif ([2, 3].includes(cluster.worker?.id)) process.exit(3)\n",
  )
  const server = await spawnServer(store, ['--workers=2', '--connections=2'], { NODE_OPTIONS: `--import=${failing}` })
  const [first = 0] = workersOf(server)
  await expect.poll(() => server.printed().match(/exited before it was ready/g), { timeout: 30_000 }).toHaveLength(2)
  await expect.poll(() => statusWithout(server, first), { timeout: 30_000 }).toBe(200)
  expect(workersOf(server)).toHaveLength(2)
  expect(await server.end('SIGTERM')).toBe(0)
  store.remove()
}, 90_000)

it('a worker hands back what it is given while it leaves', async () => {
  const store = await makeStore('postgres')
  const server = await spawnServer(store, ['--workers=2', '--connections=2'])
  await expect.poll(() => workersOf(server)).toHaveLength(2)
  const [leaving = 0] = workersOf(server)
  await expect.poll(() => statusWithout(server, leaving), { timeout: 60_000 }).toBe(200)

  server.child.kill('SIGSTOP')
  const statuses = Promise.all(Array.from({ length: 16 }, () => statusOf(server)))
  await pause(100)
  process.kill(leaving, 'SIGTERM')
  await pause(1_000)
  // The lead does not know yet, and may give it a connection first of all.
  expect(isAlive(leaving)).toBe(true)
  server.child.kill('SIGCONT')

  expect(new Set(await statuses)).toEqual(new Set([200]))
  await expect.poll(() => isAlive(leaving), { timeout: 60_000 }).toBe(false)
  await server.end('SIGTERM')
}, 60_000)

it('no worker outlives the one that leads it', async () => {
  const store = await makeStore('postgres')
  const server = await spawnServer(store, ['--workers=2', '--connections=2'])
  await expect.poll(() => workersOf(server)).toHaveLength(2)
  const workers = workersOf(server)
  await server.end('SIGKILL')
  await expect.poll(() => workers.filter(isAlive), { timeout: 60_000 }).toEqual([])
})

it('a stop that comes while a worker is starting is not waited for in vain', async () => {
  const store = await makeStore('postgres')
  // The first has greeted, the others have only just been started.
  const server = await spawnServer(store, ['--workers=2', '--connections=2'])
  expect(await Promise.race([server.end('SIGTERM'), pause(10_000, 'still there')])).toBe(0)
  store.remove()
})
