import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeStore, type TestStore } from '../packages/server/src/testing/harness.ts'
import { type ServerProcess, spawnServer } from '../packages/server/src/testing/process.ts'

const home = mkdtempSync(join(tmpdir(), 'mainline-integrations-'))
let store: TestStore
let server: ServerProcess
let query: string
beforeAll(async () => {
  store = await makeStore('sqlite')
  server = await spawnServer(store, ['--demo'])
  const info = { condition: [{ bk_obj_id: 'host', fields: [], condition: [] }] }
  const saved = { bk_biz_id: 2, name: 'all', info: JSON.stringify(info) }
  query = (await server.call<{ id: string }>('POST', '/userapi', saved)).data.id
})
afterAll(async () => {
  await server.end('SIGTERM')
  store.remove()
  rmSync(home, { recursive: true, force: true })
})

async function run(script: string, env: Record<string, string> = {}): Promise<string> {
  const ran = await promisify(execFile)('bash', ['-euc', script], { env: { ...process.env, ...env } })
  return ran.stdout.trimEnd()
}

/** Where a program is not installed, the test says so and is skipped. */
function needs(program: string, skip: (why: string) => void) {
  const found = spawnSync(program, ['--version'], { encoding: 'utf8' })
  if (!found.error) return
  const why = `${program} is not installed: apt-get install -y ansible-core`
  process.stderr.write(`skipped: ${why}\n`)
  skip(why)
}

it('Ansible runs nothing that stands in an attribute', async ({ skip }) => {
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

it('the inventory script says what went wrong', async () => {
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

  const other = await makeStore('sqlite')
  const original = await spawnServer(other, ['--compat=bk-cmdb'])
  const refused = script(['--list'], { ...env, MAINLINE_URL: original.url })
  await original.end('SIGTERM')
  other.remove()
  expect(refused).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('1199019') })
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
