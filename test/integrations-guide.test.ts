import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeStore, type TestStore } from '../packages/server/src/testing/harness.ts'
import { freePort } from '../packages/server/src/testing/postgres.ts'
import { type ServerProcess, spawnServer } from '../packages/server/src/testing/process.ts'

const guide = readFileSync('docs/guides/integrations.md', 'utf8')
const blocks = [...guide.matchAll(/<!-- run -->\n```sh\n(.*?)\n```\n```text\n(.*?)\n```/gs)]
const [, prometheusYml = ''] = /<!-- prometheus.yml -->\n```yaml\n(.*?)\n```/s.exec(guide) ?? []

const home = mkdtempSync(join(tmpdir(), 'mainline-integrations-'))
let store: TestStore
let server: ServerProcess
let query: string
beforeAll(async () => {
  store = await makeStore('sqlite')
  server = await spawnServer(store, ['--demo'])
  query = (await run(`${blocks[0]?.[1]}\necho "$query"`)).split('\n').at(-1) ?? ''
})
afterAll(async () => {
  await server.end('SIGTERM')
  store.remove()
  rmSync(home, { recursive: true, force: true })
})

const here = (text: string) => text.replaceAll('http://127.0.0.1:8080', server.url)
async function run(script: string, env: Record<string, string> = {}): Promise<string> {
  const ran = await promisify(execFile)('bash', ['-euc', here(script)], { env: { ...process.env, ...env } })
  return ran.stdout.trimEnd()
}

/** Where a program is not installed, the test says so and is skipped. */
function needs(program: string, skip: (why: string) => void) {
  const found = spawnSync(program, ['--version'], { encoding: 'utf8' })
  if (!found.error) return
  const why = `${program} is not installed: apt-get install -y prometheus ansible-core`
  process.stderr.write(`skipped: ${why}\n`)
  skip(why)
}

it('the query of the guide is saved and answers targets', async () => {
  expect(query).toMatch(/^\w{20}$/)
  const [, command, answer] = blocks[0] ?? []
  expect(await run(`${command?.replace('"monitored"', '"monitored twice"')}`)).toBe(answer)
})

it.concurrent('Prometheus finds the targets with the configuration of the guide', async ({ skip }) => {
  needs('prometheus', skip)
  const config = join(home, 'prometheus.yml')
  expect(prometheusYml).toContain('/QUERY?port=9100')
  writeFileSync(config, here(prometheusYml.replace('QUERY', query)))
  const port = await freePort()
  const flags = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${home}/tsdb`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]
  const prometheus = spawn('prometheus', flags, { stdio: 'ignore' })
  const ended = once(prometheus, 'exit')
  type Targets = { data: { activeTargets: { scrapeUrl: string; labels: Record<string, string> }[] } }
  const targets = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/targets`).catch(() => undefined)
    return answer?.ok ? ((await answer.json()) as Targets).data.activeTargets : []
  }
  await expect.poll(targets, { timeout: 30_000, interval: 200 }).toHaveLength(8)
  expect(await targets()).toContainEqual(
    expect.objectContaining({
      scrapeUrl: 'http://10.0.0.1:9100/metrics',
      labels: expect.objectContaining({ set: 'storefront', module: 'nginx,web', host: 'storefront-nginx-1' }),
    }),
  )
  prometheus.kill('SIGKILL')
  await ended
})

it.concurrent('ansible-inventory reads the script as the guide says', async ({ skip }) => {
  needs('ansible-inventory', skip)
  const [, command, answer] = blocks[1] ?? []
  expect(await run(command ?? '', { query })).toBe(answer)
})

it.concurrent('Ansible runs nothing that stands in an attribute', async ({ skip }) => {
  needs('ansible', skip)
  const comment = `{{ lookup('pipe', 'touch ${home}/ran') }}`
  await server.call('PUT', '/hosts/batch', { bk_host_id: '1', bk_comment: comment })
  const env = { MAINLINE_URL: server.url, MAINLINE_BUSINESS: '2', MAINLINE_QUERY: query }
  const shown = await run(
    "ansible -i integrations/mainline-inventory storefront-nginx-1 -m debug -a 'msg={{ mainline_comment }}'",
    env,
  )
  expect(shown).toContain(`lookup('pipe'`)
  expect(() => readFileSync(`${home}/ran`)).toThrow('ENOENT')
})

it('the inventory script says what went wrong', () => {
  const script = (args: string[], env: Record<string, string>) =>
    spawnSync('integrations/mainline-inventory', args, {
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '', ...env },
    })
  const env = { MAINLINE_URL: server.url, MAINLINE_BUSINESS: '2', MAINLINE_QUERY: 'nosuch', MAINLINE_TOKEN: 'secret' }
  expect(script(['--list'], env)).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('1199019') })
  expect(script(['--list'], {})).toMatchObject({ status: 2, stderr: expect.stringContaining('MAINLINE_BUSINESS') })
  expect(script(['--host', 'x'], {})).toMatchObject({ status: 0, stdout: '{}\n' })
  expect(script([], {}).status).toBe(2)
})

it('the Grafana dashboard reads only metrics that there are', async () => {
  const dashboard = readFileSync('docs/grafana/mainline.json', 'utf8')
  const expressions = [...dashboard.matchAll(/"(?:expr|query)": "(.*)"/g)].map(([, text = '']) => text)
  const named = new Set(expressions.flatMap((text) => text.match(/\b(?:mainline|nodejs|process)_\w+/g) ?? []))
  expect(named.size).toBeGreaterThan(8)
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  const known = new Set(
    [...metrics.matchAll(/^# TYPE (\w+) (\w+)/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    ),
  )
  expect([...named].filter((name) => !known.has(name))).toEqual([])
})
