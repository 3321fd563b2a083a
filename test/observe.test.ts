// What operators see: the log, the probes, the metrics, and Prometheus's view of them.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import manifest from '../packages/server/package.json' with { type: 'json' }
import { setBody } from '../packages/server/src/testing/data/factories.ts'
import { eachEngine, makeStore } from '../packages/server/src/testing/harness.ts'
import { runCommand, type ServerProcess, spawnServer } from '../packages/server/src/testing/process.ts'
import { makeDisk } from './faults/disk.ts'

/** All output of a server from now on until its end. */
function outputOf({ child }: ServerProcess) {
  const said = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => (said.stdout += chunk))
  child.stderr?.on('data', (chunk) => (said.stderr += chunk))
  const ended = new Promise((resolve) => child.once('close', resolve))
  const lines = () =>
    said.stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  return { said, lines, ended }
}

const ready = async ({ url }: ServerProcess) => {
  const answer = await fetch(`${url}/readyz`, { headers: { connection: 'close' } })
  return { code: answer.status, ...((await answer.json()) as { status: string; version: string }) }
}

const metricsOf = async ({ url }: ServerProcess) => (await fetch(`${url}/metrics`)).text()

const sampleOf = (text: string, metric: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${metric} `) || line.startsWith(`${metric}{`))
      ?.split(' ')
      .at(-1),
  )

/** If a program is not installed, the test reports it and is skipped. */
function needsPromtool(skip: (why: string) => void) {
  if (!spawnSync('promtool', ['--version']).error) return
  const why = 'promtool is not installed: apt-get install -y prometheus'
  process.stderr.write(`skipped: ${why}\n`)
  skip(why)
}

const promtool = (args: string[], input = '') => spawnSync('promtool', args, { encoding: 'utf8', input })

it('a stop starts with 503 at /readyz, answers requests that arrive meanwhile, and loses no line of the log', async () => {
  const store = await makeStore('sqlite')
  const server = await spawnServer(store, ['--drain-time=3s', '--request-log=all'])
  const { said, lines, ended } = outputOf(server)
  expect(await ready(server)).toMatchObject({ code: 200, status: 'ready', version: manifest.version })
  const search = () => server.call('POST', '/biz/search/0', { fields: [] })
  for (let nth = 0; nth < 300; nth++) expect((await search()).result).toBe(true)
  server.child.kill('SIGTERM')
  await expect.poll(() => ready(server)).toMatchObject({ code: 503, status: 'stopping' })
  expect((await search()).result).toBe(true)
  await ended
  expect(server.child.exitCode).toBe(0)
  expect(lines().filter(({ operation }) => operation === 'search_business')).toHaveLength(301)
  expect(
    lines()
      .map(({ msg }) => msg)
      .filter((msg) => msg !== 'request'),
  ).toEqual([
    'draining: /readyz answers 503, requests are still served',
    'stopping: waiting for running requests',
    'stopped',
  ])
  expect(said.stderr).toBe('')
  store.remove()
})

it('a start is one line with version and configuration if the output is not a terminal', async () => {
  const store = await makeStore('sqlite')
  const server = await spawnServer(store)
  await server.end('SIGTERM')
  expect(server.started).toMatchObject({
    level: 30,
    version: manifest.version,
    engine: 'sqlite',
    auth: 'open',
    address: server.url,
    msg: `ready at ${server.url}`,
  })
  store.remove()
})

it('a full disk is one line and 503 at /readyz, until there is room again', async () => {
  const disk = makeDisk()
  const dataDir = `${disk.path}/data`
  mkdirSync(dataDir)
  const server = await spawnServer({ flags: ['--port=0', `--data-dir=${dataDir}`] })
  const { lines } = outputOf(server)
  const made = await server.call<{ bk_biz_id: number }>('POST', '/biz/0', { bk_biz_name: 'shop' })
  const business = made.data.bk_biz_id
  const makeSet = () => server.call('POST', `/set/${business}`, setBody(business))
  disk.fill(server.child.pid as number)
  await expect.poll(async () => (await makeSet()).bk_error_code, { interval: 5 }).toBe(1199503)
  await expect.poll(() => ready(server)).toMatchObject({ code: 503, status: 'the storage disk is full' })
  expect(sampleOf(await metricsOf(server), 'mainline_storage_up')).toBe(0)
  await pause(3_000)
  disk.free(server.child.pid as number)
  await expect.poll(() => ready(server)).toMatchObject({ code: 200 })
  expect((await makeSet()).result).toBe(true)
  // The log is written a moment later.
  const told = () => lines().filter(({ msg }) => `${msg}`.startsWith('storage is'))
  await expect.poll(told).toMatchObject([
    { level: 50, reason: 'diskFull' },
    { level: 30, outage_ms: expect.any(Number) },
  ])
  expect(lines().length).toBeLessThan(20)
  await server.end('SIGTERM')
  disk.remove()
})

/** A server with something to measure: requests, errors, a backup. */
async function measured(engine: 'sqlite' | 'postgres') {
  const store = await makeStore(engine)
  const server = await spawnServer(store)
  expect(sampleOf(await metricsOf(server), 'mainline_backup_last_success_timestamp_seconds')).toBe(0)
  await server.call('POST', '/biz/0', { bk_biz_name: 'shop' })
  await server.call('POST', '/biz/0', { bk_biz_name: 'shop' })
  const file = `${store.dataDir}/backup.mainline`
  expect(await runCommand(['backup', file, ...store.flags.filter((flag) => !flag.startsWith('--port'))])).toMatchObject(
    { code: 0 },
  )
  let text = ''
  // The state of the log is read once a second.
  const position = async () => {
    text = await metricsOf(server)
    return sampleOf(text, 'mainline_log_position')
  }
  await expect.poll(position).toBeGreaterThan(0)
  const close = async () => {
    await server.end('SIGTERM')
    store.remove()
  }
  return { text, close }
}

/** The series names in a response of /metrics. */
const seriesOf = (text: string) =>
  new Set(
    [...text.matchAll(/^# TYPE (\w+) (\w+)/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['bucket', 'count', 'sum'].map((part) => `${name}_${part}`) : [name],
    ),
  )
const namedIn = (text: string) => new Set(text.match(/\b(?:mainline|nodejs|process)_\w+/g))

eachEngine((engine) => {
  it('the metrics describe the program and its storage, and promtool finds no problem', async ({ skip }) => {
    const { text, close } = await measured(engine)
    expect(text).toMatch(
      new RegExp(
        `^mainline_build_info\\{version="${manifest.version}",commit="",node="[\\d.]+",engine="${engine}"\\} 1$`,
        'm',
      ),
    )
    expect(sampleOf(text, 'mainline_storage_up')).toBe(1)
    expect(sampleOf(text, 'mainline_storage_size_bytes')).toBeGreaterThan(100_000)
    expect(sampleOf(text, 'mainline_log_position')).toBeGreaterThan(0)
    expect(Date.now() / 1_000 - sampleOf(text, 'mainline_backup_last_success_timestamp_seconds')).toBeLessThan(600)
    expect(text).toMatch(/^mainline_requests_total\{operation="create_business",status="409",code="1199014"\} 1$/m)
    const pools = engine === 'sqlite' ? ['reader_threads'] : ['main', 'heavy']
    for (const pool of pools) expect(text).toContain(`mainline_storage_connections{pool="${pool}",state="in_use"}`)

    // All metrics in the documentation exist, and all existing ones are documented.
    const series = seriesOf(text)
    const files = ['docs/prometheus/mainline.rules.yml', 'docs/grafana/mainline.json', 'docs/guides/metrics.md']
    // On one engine only.
    const elsewhere = engine === 'postgres' ? ['mainline_storage_free_bytes'] : []
    for (const file of files) {
      const known = (name: string) => series.has(name) || [...series].some((each) => each.startsWith(`${name}_`))
      const unknown = [...namedIn(readFileSync(file, 'utf8'))].filter((name) => !known(name))
      expect(
        unknown.filter((name) => !elsewhere.includes(name)),
        file,
      ).toEqual([])
    }
    const explained = namedIn(readFileSync('docs/guides/metrics.md', 'utf8'))
    const own = [...text.matchAll(/^# TYPE (mainline_\w+)/gm)].map(([, name = '']) => name)
    expect(own.filter((name) => !explained.has(name))).toEqual([])
    await close()

    needsPromtool(skip)
    expect(promtool(['check', 'metrics'], text)).toMatchObject({ status: 0, stdout: '', stderr: '' })
  })
})

describe('the alert rules', () => {
  it('are accepted by promtool, and fire when they should', ({ skip }) => {
    needsPromtool(skip)
    const checked = promtool(['check', 'rules', 'docs/prometheus/mainline.rules.yml'])
    expect(checked, checked.stdout + checked.stderr).toMatchObject({ status: 0 })
    const tested = promtool(['test', 'rules', 'test/mainline.rules.test.yml'])
    expect(tested, tested.stdout + tested.stderr).toMatchObject({ status: 0 })
  })

  it('are each tested and explained', () => {
    const read = (file: string) => readFileSync(file, 'utf8')
    const names = [...read('docs/prometheus/mainline.rules.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
    expect(names.length).toBeGreaterThan(5)
    const [tests, guide] = [read('test/mainline.rules.test.yml'), read('docs/guides/metrics.md')]
    expect(names.filter((name) => !tests.includes(`alertname: ${name}\n`))).toEqual([])
    expect(names.filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
  })
})
