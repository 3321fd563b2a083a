import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { makeStore, type TestStore } from '../packages/server/src/testing/harness.ts'
import { type ServerProcess, spawnServer } from '../packages/server/src/testing/process.ts'

const home = mkdtempSync(join(tmpdir(), 'mainline-integrations-'))
const inventory = join(home, 'mainline.yml')
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

/** Writes the inventory, with options beside those that the environment gives. */
const configure = (options: Record<string, unknown>) =>
  writeFileSync(inventory, stringify({ plugin: 'mainline.cmdb.saved_query', ...options }))

/** The output of an Ansible program that reads the saved query. */
async function ansible(program: string, ...args: string[]): Promise<string> {
  const env = {
    ...process.env,
    ANSIBLE_COLLECTIONS_PATH: resolve('integrations'),
    ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED: 'true',
    PYTHONDONTWRITEBYTECODE: '1',
    MAINLINE_URL: server.url,
    MAINLINE_BUSINESS: '2',
    MAINLINE_QUERY: query,
  }
  const ran = await promisify(execFile)(program, ['-i', inventory, ...args], { env })
  return ran.stdout.trimEnd()
}

async function play(tasks: string, hosts = 'storefront-nginx-1'): Promise<string> {
  const file = join(home, 'play.yml')
  writeFileSync(file, `- hosts: ${hosts}\n  gather_facts: false\n  tasks:\n${tasks}`)
  return ansible('ansible-playbook', file)
}

/** If a program is not installed, the test reports it and is skipped. */
function needs(program: string, skip: (why: string) => void) {
  const found = spawnSync(program, ['--version'], { encoding: 'utf8' })
  if (!found.error) return
  const why = `${program} is not installed: apt-get install -y ansible-core`
  process.stderr.write(`skipped: ${why}\n`)
  skip(why)
}

describe('the Ansible collection', () => {
  it('evaluates no template in attributes, nor one that two of them form in a fact, a variable or a record', async ({
    skip,
  }) => {
    needs('ansible', skip)
    const half = `{ lookup('pipe', 'touch ${home}/ran') }}`
    await server.call('PUT', '/hosts/batch', { bk_host_id: '1', bk_sn: '{', bk_asset_id: half, bk_comment: `{${half}` })
    configure({ compose: { composed: 'mainline_sn ~ mainline_asset_id' } })
    const shown = await play(`
    - set_fact: { label: "{{ mainline_sn }}{{ mainline_asset_id }}" }
    - set_fact: { record: "{{ query('mainline.cmdb.records', 'host', condition={'bk_host_id': 1})[0] }}" }
    - set_fact: { joined: "{{ record.bk_sn }}{{ record.bk_asset_id }}" }
    - debug: { msg: ["{{ mainline_comment }}", "{{ label }}", "{{ composed }}", "{{ joined }}"] }
`)
    expect(shown.match(/"\{\{ lookup\('pipe'/g)).toHaveLength(4)
    expect(existsSync(`${home}/ran`)).toBe(false)
  })

  it('keeps hosts of equal names apart, and from groups and reserved names', async ({ skip }) => {
    needs('ansible', skip)
    configure({})
    for (const [host, name] of Object.entries({ 2: 'storefront-nginx-1', 3: 'localhost', 4: '__ansible_unsafe' })) {
      await server.call('PUT', '/hosts/batch', { bk_host_id: host, bk_host_name: name })
    }
    const listed = JSON.parse(await ansible('ansible-inventory', '--list'))
    const namesOf = (id: number) =>
      Object.entries<{ mainline_host_id: number }>(listed._meta.hostvars)
        .filter(([, { mainline_host_id }]) => mainline_host_id === id)
        .map(([name]) => name)
    expect([1, 2, 3, 4].map(namesOf)).toEqual([
      ['storefront-nginx-1_1'],
      ['storefront-nginx-1_2'],
      ['localhost_3'],
      ['__ansible_unsafe_4'],
    ])
  })

  it('groups by attributes, and answers from its cache while that is kept', async ({ skip }) => {
    needs('ansible', skip)
    const cache = join(home, 'cache')
    configure({
      cache: true,
      cache_plugin: 'jsonfile',
      cache_connection: cache,
      keyed_groups: [{ prefix: 'os', key: 'mainline_os_type' }],
    })
    const before = await ansible('ansible-inventory', '--graph', 'os_1')
    expect(before.split('\n').length).toBeGreaterThan(2)
    await server.call('PUT', '/hosts/batch', { bk_host_id: '5', bk_host_name: 'renamed' })
    expect(await ansible('ansible-inventory', '--graph', 'os_1')).toBe(before)
    rmSync(cache, { recursive: true })
    expect(await ansible('ansible-inventory', '--graph', 'os_1')).toContain('renamed')
  })

  it('looks up businesses, sets, modules, hosts and other instances, all pages of them', async ({ skip }) => {
    needs('ansible', skip)
    const shown = await play(
      `
    - debug:
        msg:
          - "{{ query('mainline.cmdb.records', 'biz', fields=['bk_biz_id']) | length > 1 }}"
          - "{{ query('mainline.cmdb.records', 'set', business=2, condition={'bk_set_id': 3})[0].bk_set_id }}"
          - "{{ query('mainline.cmdb.records', 'module', business=2, set=3) | map(attribute='bk_set_id') | unique }}"
          - "{{ query('mainline.cmdb.records', 'host', fields=['bk_host_name']) | length }}"
          - "{{ query('mainline.cmdb.records', 'bk_switch') | map(attribute='bk_obj_id') | unique }}"
`,
      'storefront-nginx-1_1',
    )
    const [, answers = ''] = /"msg": (\[[\s\S]*?\n {4}\])/.exec(shown) ?? []
    const { data } = await server.call<{ count: number }>('POST', '/hosts/search', {})
    expect(data.count).toBeGreaterThan(400)
    expect(JSON.parse(answers)).toEqual([true, '3', [3], String(data.count), ['bk_switch']])
  })

  it('reports refusals, in both dialects', async ({ skip }) => {
    needs('ansible', skip)
    const store = await makeStore('sqlite')
    const original = await spawnServer(store, ['--compat=bk-cmdb'])
    for (const url of [server.url, original.url]) {
      configure({ url, query: 'nosuch' })
      await expect(ansible('ansible-inventory', '--list')).rejects.toThrow(/nosuch:\s.*1199019/s)
    }
    await original.end('SIGTERM')
    store.remove()
  })
})

it('the Grafana dashboard uses existing metrics only', async () => {
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
