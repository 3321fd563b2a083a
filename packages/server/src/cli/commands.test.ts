import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { fillEstate } from '../commands/demo/estate.ts'
import { Refusal } from '../common/refusal.ts'
import { configOf, startServer, type TestServer } from '../testing/harness.ts'
import { type ClientCommand, clientCommands } from './catalogue.ts'
import { runClientCommand } from './run.ts'

let server: TestServer
const home = mkdtempSync(join(tmpdir(), 'mainline-commands-'))
const info = (conditions: unknown[], page = {}) => JSON.stringify({ condition: conditions, ...page })
const nginx = { bk_obj_id: 'module', condition: [{ field: 'bk_module_name', operator: '$eq', value: 'nginx' }] }

beforeAll(async () => {
  server = await startServer('sqlite')
  const { service, store } = server
  await fillEstate(service.storage, configOf(store), { hosts: 500, progress: () => {} })
  vi.stubEnv('MAINLINE_SERVER', server.url)
  vi.stubEnv('XDG_CONFIG_HOME', home)
  for (const name of ['LC_ALL', 'LC_MESSAGES', 'LANG', 'MAINLINE_TOKEN', 'MAINLINE_PROFILE']) vi.stubEnv(name, '')
  const save = (name: string, text: string) => server.call('POST', '/userapi', { bk_biz_id: 2, name, info: text })
  await save('proxies', info([nginx, { bk_obj_id: 'host', fields: ['bk_host_id', 'bk_host_name'], condition: [] }]))
  await save(
    '名字',
    info([nginx, { bk_obj_id: 'host', fields: ['bk_host_name'] }], { page: { sort: '-bk_host_name' } }),
  )
  await save('places only', info([{ bk_obj_id: 'set', fields: ['bk_set_name'], condition: [] }]))
  for (const [group_name, user_list] of [
    ['auditors', 'olga;nora'],
    ['operators', 'ben'],
    ['watchers', 'olga'],
  ]) {
    await server.call('POST', '/topo/privilege/group/0', { group_name, user_list })
  }
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server.close()
  rmSync(home, { recursive: true, force: true })
})

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** In this process, without starting the program each time. */
async function run(...[name = '', ...args]: string[]): Promise<Ran> {
  let [out, err] = ['', '']
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((text, done?: unknown) => {
    out += text
    if (typeof done === 'function') done()
    return true
  })
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += text
    return true
  })
  try {
    await runClientCommand(name, clientCommands[name] as ClientCommand, args)
    return { code: 0, out, err }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { code: error.exitCode, out, err: err + error.message }
  } finally {
    stdout.mockRestore()
    stderr.mockRestore()
  }
}
const lines = (text: string) => text.trimEnd().split(/\r?\n/)

describe('get', () => {
  it.each(['李雷', 'josé'])('accepts %s, in any script', async (name) => {
    const get = (user: string) => run('get', 'businesses', '--user', user, '--fields', 'bk_biz_name')
    expect(await get(name)).toEqual(await get('admin'))
    const refused = await run('export', 'estate', '--user', name, '--account', name)
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('only administrators') })
  })

  it('finds hosts of a business by their own attributes and by their placement', async () => {
    const where = 'bk_os_type=1 and module.bk_module_name in (nginx, web)'
    const { code, out } = await run('get', 'hosts', '--business', 'Web shop', '--where', where, '--limit', '2')
    expect(code).toBe(0)
    expect(lines(out)).toEqual([
      'bk_host_id  bk_host_innerip  bk_host_name        bk_os_type  set.bk_set_name  module.bk_module_name',
      '2           10.0.0.2         storefront-web-2    1           storefront       web',
      '4           10.0.0.4         storefront-nginx-4  1           storefront       nginx',
    ])
  })

  it('requests all pages, each record once', async () => {
    const ids = lines((await run('get', 'hosts', '--fields', 'bk_host_id', '-o', 'csv')).out)
    expect(ids.slice(0, 3)).toEqual(['bk_host_id', '1', '2'])
    expect(new Set(ids).size).toBe(501)
    const sorted = lines(
      (await run('get', 'hosts', '--fields', 'bk_host_id', '--sort', '-bk_host_id', '-o', 'csv')).out,
    )
    expect(sorted.slice(1)).toEqual(ids.slice(1).toSorted((one, other) => Number(other) - Number(one)))
  })

  type Host = {
    bk_host_name: string
    bk_host_id: number
    bk_cpu: number
    bk_os_type: string
    set: { bk_set_name: string }[]
  }
  it.each<[string, (host: Host) => boolean]>([
    [
      "bk_host_name ~ 'nginx-1.?$' and bk_host_id < 100",
      (host) => /nginx-1.?$/.test(host.bk_host_name) && host.bk_host_id < 100,
    ],
    [
      'bk_cpu >= 16 and bk_cpu <= 32 and bk_os_type != 2',
      (host) => host.bk_cpu >= 16 && host.bk_cpu <= 32 && host.bk_os_type !== '2',
    ],
    ['set.bk_set_name = storefront', (host) => host.set.some((set) => set.bk_set_name === 'storefront')],
    ["biz.bk_biz_name = 'Web shop' and bk_host_innerip = 10.0.0.1", (host) => host.bk_host_id === 1],
    ["bk_host_name = ''", () => false],
  ])('accepts %s', async (where, passes) => {
    const all = JSON.parse((await run('get', 'hosts', '-o', 'json')).out) as Host[]
    const { out } = await run('get', 'hosts', '--where', where, '-o', 'json', '--fields', 'bk_host_id')
    expect(JSON.parse(out)).toEqual(all.filter(passes).map(({ bk_host_id }) => ({ bk_host_id })))
  })

  it('takes several conditions, and each field more than once', async () => {
    const flags = ['--where', 'bk_host_id > 3', '--where', 'bk_host_id<=5', '--fields', 'bk_host_id', '-o', 'yaml']
    expect(parse((await run('get', 'hosts', ...flags)).out)).toEqual([{ bk_host_id: 4 }, { bk_host_id: 5 }])
    const sets = await run('get', 'sets', '--business', '2', '--where', 'bk_set_id>3 and bk_set_id<6', '-o', 'json')
    expect(JSON.parse(sets.out)).toMatchObject([{ bk_set_id: 4, bk_set_name: 'checkout' }, { bk_set_id: 5 }])
  })

  it('shows businesses, sets and modules', async () => {
    const all = await run('get', 'businesses', '--where', 'bk_biz_name = Payments', '--fields', 'bk_biz_id,bk_biz_name')
    expect(lines(all.out)).toEqual(['bk_biz_id  bk_biz_name', '3          Payments'])
    const pool = await run('get', 'sets', '--business', 'resource pool', '-o', 'csv', '--fields', 'bk_set_name')
    expect(lines(pool.out)).toEqual(['bk_set_name', 'idle pool'])
    const modules = await run('get', 'modules', '--business', 'Payments', '--fields', 'bk_module_name', '-o', 'csv')
    expect(lines(modules.out)).toHaveLength(13)
    const named = ['--set', 'gateway', '--sort', '-bk_module_name', '--fields', 'bk_module_name', '-o', 'csv']
    expect(lines((await run('get', 'modules', '--business', '3', ...named)).out)).toEqual([
      'bk_module_name',
      'nginx',
      'api',
    ])
  })

  it('filters queries, subscriptions and groups, which the server lists completely, by the same conditions', async () => {
    const names = async (...args: string[]) => lines((await run('get', ...args, '-o', 'csv')).out).slice(1)
    expect(await names('queries', '--business', '2', '--fields', 'name', '--where', "name = 'places only'")).toEqual([
      'places only',
    ])
    expect(await names('queries', '--business', '2', '--fields', 'name', '--sort', 'name')).toEqual([
      'places only',
      'proxies',
      '名字',
    ])
    const form = { subscription_form: 'setcreate', callback_url: 'http://127.0.0.1:9/' }
    for (const each of ['one', 'two']) {
      await server.call('POST', '/event/subscribe/0/0', { ...form, subscription_name: each })
    }
    expect(await names('subscriptions', '--fields', 'subscription_name', '--where', 'subscription_id >= 2')).toEqual([
      'two',
    ])
    const groups = (...args: string[]) => names('groups', '--fields', 'group_name', ...args)
    // Two of them belong to the demo estate.
    expect(await groups('--sort', '-group_name')).toEqual([
      'watchers',
      'switch keepers',
      'operators',
      'interns',
      'auditors',
    ])
    expect(await groups('--where', 'user_list ~ ol.a')).toEqual(['auditors', 'watchers'])
    expect(await groups('--where', 'group_name in (operators, unknown)')).toEqual(['operators'])
    expect(await groups('--where', 'group_name != operators', '--limit', '1')).toEqual(['switch keepers'])
  })

  it('knows user-defined attributes', async () => {
    const made = { bk_obj_id: 'set', bk_property_id: 'rack', bk_property_name: 'Rack', bk_property_type: 'int' }
    await server.call('POST', '/object/attr', made)
    await server.call('PUT', '/set/2/3', { bk_biz_id: 2, rack: 42 })
    const { out } = await run('get', 'sets', '--business', '2', '--where', 'rack>41', '--fields', 'bk_set_name,rack')
    expect(lines(out)).toEqual(['bk_set_name  rack', 'storefront   42'])
  })

  it('reports an empty result', async () => {
    const none = await run('get', 'subscriptions', '--where', 'subscription_name = none')
    expect(none).toEqual({ code: 0, out: '', err: 'No such subscriptions.\n' })
  })
})

describe('tree', () => {
  it('draws the topology to the requested depth, with the idle pool on request', async () => {
    expect(lines((await run('tree', '--business', 'Payments', '--depth', '2')).out)).toEqual([
      'Payments (Business 3)',
      '└─ Europe (Region 11)',
      '   ├─ Dublin (Site 13)',
      '   └─ Frankfurt (Site 12)',
    ])
    const { out } = await run('tree', '--business', '3', '--idle')
    expect(out).toMatch(/^├─ Europe/m)
    expect(out).toMatch(/^│ {2}│ {2}├─ ledger \(Set 10\)$/m)
    expect(out).toMatch(/^└─ idle pool \(Set \d+\)\n {3}├─ fault /m)
    const json = JSON.parse((await run('tree', '--business', '3', '-o', 'json')).out)
    expect(parse((await run('tree', '--business', '3', '-o', 'yaml')).out)).toEqual(json)
  })

  it('uses the language of the terminal', async () => {
    vi.stubEnv('LANG', 'zh_CN.UTF-8')
    expect((await run('tree', '--business', '3', '--depth', '0')).out).toBe('Payments (业务 3)\n')
    vi.stubEnv('LANG', '')
  })
})

describe('query run', () => {
  it('runs a query by its name or its id, with the fields it shows', async () => {
    const { out } = await run('query', 'run', 'proxies', '--business', 'Web shop', '--limit', '2')
    expect(lines(out)).toEqual([
      'bk_host_id  bk_host_name        module.bk_module_name',
      '1           storefront-nginx-1  nginx,web',
      '4           storefront-nginx-4  nginx',
    ])
    const [{ id }] = JSON.parse(
      (await run('get', 'queries', '--business', '2', '--where', 'name=proxies', '-o', 'json')).out,
    )
    const byId = await run('query', 'run', id, '--business', '2', '-o', 'csv')
    expect(lines(byId.out)).toHaveLength(17)
  })

  it('keeps the order of a query, and runs one that shows no hosts', async () => {
    const { out } = await run('query', 'run', '名字', '--business', '2', '--fields', 'bk_host_name', '-o', 'csv')
    const names = lines(out).slice(1)
    expect(names).toHaveLength(16)
    expect(names).toEqual(names.toSorted().reverse())
    const places = await run('query', 'run', 'places only', '--business', '2', '-o', 'json', '--limit', '1')
    expect(JSON.parse(places.out)).toMatchObject([{ set: { bk_set_name: 'storefront' } }])
  })
})

describe('audit', () => {
  it('shows one line per record, newest first, with the changes of an update', async () => {
    await server.call(
      'PUT',
      '/set/2/4',
      { bk_biz_id: 2, bk_capacity: 7, description: 'a\u001b[2Jb' },
      { BK_User: 'amy' },
    )
    const { out } = await run('audit', '--since', '1h', '--operator', 'amy', '--target', 'set', '--type', 'update')
    expect(out).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}amy {9}update set {6}checkout \(set 4\) {2}business 2 {2}description: runs checkout → a\\u\{1b\}\[2Jb {2}bk_capacity: 525 → 7\n$/,
    )
    const json = (await run('audit', '--business', 'Web shop', '--limit', '3', '-o', 'json')).out
    const records = lines(json).map((line) => JSON.parse(line))
    expect(records).toHaveLength(3)
    expect(records[0]).toMatchObject({ operator: 'amy', bk_biz_id: 2 })
    expect((await run('audit', '--until', '2026-01-01')).out).toBe('')
    expect(lines((await run('audit', '--target', 'host')).out)).toHaveLength(500)
  })

  it('imports a file with a reason, and finds changes by their reason', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'mainline-reason-')), 'hosts.csv')
    writeFileSync(file, 'bk_host_innerip\n10.77.0.1\n10.77.0.2\n')
    await run('import', 'hosts', file, '--business', 'Web shop', '--reason', 'CHG-17: 扩容 (50%)')
    const found = lines((await run('audit', '--reason', 'CHG-17: 扩容 (50%')).out)
    expect(found).toHaveLength(2)
    expect(found[0]).toMatch(/ {2}reason: CHG-17: 扩容 \(50%\)$/)
  })
})

describe('history, blame, diff and undo', () => {
  const path = '/set/2/5'
  const position = async () => {
    const json = (await run('audit', '--limit', '1', '-o', 'json')).out
    return Number(JSON.parse(json).position)
  }
  let before: number
  beforeAll(async () => {
    before = await position()
    const headers = { BK_User: 'amy', 'X-Change-Reason': 'spring', cc_request_id: 'spring-5' }
    await server.call('PUT', path, { bk_biz_id: 2, bk_capacity: 11 }, headers)
  })
  const exitCode = () => {
    const code = process.exitCode
    process.exitCode = 0
    return code
  }

  it('lists versions with what each changed', async () => {
    const { out } = await run('history', 'set', '5')
    expect(lines(out)[0]).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}amy {9}update set {6}\S+ \(set 5\) {2}bk_capacity: \d+ → 11 {2}reason: spring {2}position \d+$/,
    )
    const json = (await run('history', 'biz', '2', '--below', '--limit', '100', '-o', 'json')).out
    expect(lines(json)).toHaveLength(100)
    expect(new Set(lines(json)).size).toBe(100)
    expect(lines((await run('history', 'set', '5', '--from', `position:${before}`)).out)).toHaveLength(1)
  })

  it('names who set each value', async () => {
    const { out } = await run('blame', 'set', '5')
    expect(lines(out).find((line) => line.startsWith('bk_capacity'))).toMatch(/ 11 +amy .*spring +spring-5 +\d+$/)
  })

  it('prints differences like a version control, and exits 1 if there are any', async () => {
    const { out } = await run('diff', '--from', `position:${before}`, '--biz', 'Web shop')
    expect(exitCode()).toBe(1)
    expect(out).toMatch(
      /^--- .*\(position \d+\)\n\+\+\+ .*\n~ \S+ \(set 5\) {2}\(amy, .*: spring\)\n- {3}bk_capacity: \d+\n\+ {3}bk_capacity: 11 /,
    )
    const none = await run('diff', 'set', '5', '--from', `position:${await position()}`)
    expect(lines(none.out)).toHaveLength(2)
    expect(exitCode()).not.toBe(1)
    const json = lines((await run('diff', 'set', '5', '--from', `position:${before}`, '-o', 'json')).out)
    expect(JSON.parse(json.at(-1) ?? '')).toMatchObject({ counts: { changed: 1 } })
    expect(exitCode()).toBe(1)
  })

  it('compares the results of a query, named in its business or by its id', async () => {
    const from = `position:${await position()}`
    const [host] = JSON.parse((await run('query', 'run', 'proxies', '--business', '2', '-o', 'json')).out)
    const id = host.bk_host_id
    await server.call('PUT', '/hosts/batch', { bk_host_id: String(id), bk_comment: 'looked at' }, { BK_User: 'amy' })
    const { out } = await run('diff', '--from', from, '--biz', 'Web shop', '--query', 'proxies')
    expect(exitCode()).toBe(1)
    expect(lines(out).slice(2)).toEqual([
      expect.stringMatching(new RegExp(`^~ \\S+ \\(host ${id}\\) {2}\\(amy, `)),
      "-   bk_comment: ''",
      expect.stringMatching(/^\+ {3}bk_comment: looked at {2}\(amy, /),
    ])
    const [{ id: query }] = JSON.parse(
      (await run('get', 'queries', '--business', '2', '--where', 'name=proxies', '-o', 'json')).out,
    )
    const byId = await run('diff', '--from', from, '--query', query, '-o', 'json')
    expect(JSON.parse(lines(byId.out).at(-1) ?? '')).toMatchObject({ counts: { changed: 1 } })
    expect(exitCode()).toBe(1)
  })

  it('reads with --as-of what get, tree, query run and export answered then', async () => {
    const commands = [
      ['get', 'sets', '--business', 'Web shop', '-o', 'json'],
      ['get', 'hosts', '--business', '2', '--limit', '3', '-o', 'json'],
      ['tree', '--business', 'Web shop'],
      ['query', 'run', 'proxies', '--business', '2', '-o', 'csv'],
      ['export', 'topology', '--business', '2'],
      ['export', 'hosts', '--business', '2', '--format', 'csv'],
    ]
    const answers = async (...flags: string[]) => {
      const all: string[] = []
      for (const command of commands) all.push((await run(...command, ...flags)).out)
      return all
    }
    const then = await answers()
    const at = `position:${await position()}`
    await server.call('PUT', path, { bk_biz_id: 2, bk_set_name: 'renamed' })
    await server.call('DELETE', '/module/2/4/7')
    const [host] = JSON.parse((await run('query', 'run', 'proxies', '--business', '2', '-o', 'json')).out)
    const edit = { bk_host_id: String(host.bk_host_id), bk_host_name: 'later', bk_cpu: 3 }
    await server.call('PUT', '/hosts/batch', edit)
    expect(await answers('--as-of', at)).toEqual(then)
    for (const [index, now] of (await answers()).entries()) expect(now, String(commands[index])).not.toBe(then[index])
  })

  it('undoes a request once its plan is known, and not over a later change', async () => {
    const plan = await run('undo', '--request', 'spring-5', '--dry-run')
    expect(plan.out).toMatch(
      /^to undo {3}\d+ {2}update set {2}\S+ \(set 5\)\n1 to undo, 0 already undone, 0 in conflict\n$/,
    )
    await server.call('PUT', path, { bk_biz_id: 2, bk_capacity: 12 }, { BK_User: 'amy' })
    const refused = await run('undo', '--request', 'spring-5')
    expect(refused.code).toBe(1)
    expect(refused.out).toMatch(/bk_capacity: now 12, would become \d+; it was changed since.*since amy, /)
    const forced = await run('undo', '--request', 'spring-5', '--on-conflict', 'force', '--reason', 'as it was')
    expect(forced.out).toContain('1 undone, 0 already undone, 0 in conflict')
    expect(lines((await run('history', 'set', '5')).out)[0]).toContain('reason: as it was')
    expect((await run('undo', '--request', 'spring-5')).out).toContain('0 undone, 1 already undone')
    expect((await run('undo', '--request', 'no-such-request')).code).toBe(1)
  })
})

describe('refusals', () => {
  it.each<[string[], number, string | RegExp]>([
    [['get'], 2, /^An argument is missing: 'mainline get' takes one of hosts, businesses/],
    [['get', 'host'], 2, "Cannot get 'host'. Did you mean hosts"],
    [
      ['get', 'hosts', 'Web', 'shop'],
      2,
      "Unexpected argument 'Web' for 'mainline get'. Quote names that contain blanks.",
    ],
    [['get', 'hosts', '--bussiness', '2'], 2, "'mainline get' has no flag --bussiness. Did you mean --business"],
    [['get', 'hosts', '-x'], 2, "Unknown option '-x'. See 'mainline get --help'."],
    [['get', 'hosts', '--where'], 2, "Option '--where <value>' argument missing. See"],
    [['get', 'hosts', '-o', 'xml'], 2, "--output is 'xml': it must be one of table, json, csv, yaml."],
    [['get', 'hosts', '--limit', '0'], 2, "--limit is '0': it must be an integer of at least 1."],
    [['get', 'hosts', '--limit', 'ten'], 2, "--limit is 'ten'"],
    [['get', 'hosts', '--set', 'x'], 2, '--set is for modules.'],
    [['get', 'hosts', '--where', 'bk_os_typ=1'], 2, "there is no field 'bk_os_typ'. Did you mean bk_os_type"],
    [['get', 'hosts', '--where', 'set.bk_set=1'], 2, "there is no field 'set.bk_set'. Did you mean set.bk_set_"],
    [
      ['get', 'hosts', '--where', 'bk_cpu ~ 3'],
      2,
      /~ applies to text fields, but 'bk_cpu' is of type int\.\n.*\n {9}\^$/,
    ],
    [['get', 'hosts', '--where', 'bk_cpu in (1, x)'], 2, "'bk_cpu' is a number."],
    [['get', 'hosts', '--fields', 'bk_host_id,nam'], 2, "--fields: there is no field 'nam'."],
    [['get', 'hosts', '--sort', '-nam'], 2, "--sort: there is no field 'nam'."],
    [['get', 'groups', '--where', 'group_name ~ ('], 2, /invalid pattern: .*\n.*\n {15}\^$/],
    [['get', 'hosts', '--where', 'bk_host_name ~ ('], 1, 'The server rejected the request:'],
    [['get', 'sets'], 2, 'The business is missing: get sets needs --business NAME or --business ID.'],
    [['get', 'modules', '--business', '2', '--sort', 'bk_module_id'], 2, 'Select one with --set'],
    [
      ['get', 'modules', '--business', '2', '--set', 'storefrnt'],
      1,
      "There is no set 'storefrnt' in business 2. Did you mean 'storefront'",
    ],
    [['get', 'sets', '--business', 'Web'], 1, "There is no business 'Web'. Did you mean 'Web shop'"],
    [['get', 'sets', '--business', '999'], 1, "There is no business '999'."],
    [
      ['get', 'groups', '--user', 'kofi'],
      1,
      /^The server rejected the request: permission denied: .* \(code 9900403, request \w+\)\.$/,
    ],
    [['tree'], 2, 'The business is missing:'],
    [['tree', '--business', '2', '--depth', '-1'], 2, "--depth is '-1'"],
    [['query'], 2, "Use 'mainline query run NAME|ID'."],
    [['query', 'run'], 2, 'The query is missing'],
    [
      ['query', 'run', 'proxys', '--business', '2'],
      1,
      "There is no query 'proxys' in business 2. Did you mean 'proxies'",
    ],
    [['audit', '--since', 'yesterday'], 2, "--since is 'yesterday': it must be a duration or time such as 45s"],
    [['undo'], 2, 'exactly one of --request ID, --txn ID and --position N,N'],
    [['undo', '--position', '1,x'], 2, "--position: 'x' is not a position"],
    [['undo', '--txn', 'x', '--on-conflict', 'maybe'], 2, "--on-conflict is 'maybe'"],
    [['diff', '--biz', '2'], 2, 'The earlier moment is missing'],
    [['diff', '--from', '-1d'], 2, 'Name a business, a query or an instance'],
    [['diff', 'set', '5', '--from', '-1d', '--query', 'x'], 2, 'Name a business, a query or an instance'],
    [['diff', '--from', 'position:1', '--query', 'nosuch'], 1, 'No relevant data found'],
    [['tree', '--business', '2', '--as-of', 'tomorrow'], 1, 'must be a time such as'],
    [['tree', '--business', '2', '--as-of', '2999-01-01'], 1, 'future'],
    [['get', 'hosts', '--as-of', 'position:99999999'], 1, 'position'],
    [['get', 'subscriptions', '--as-of', '-1h'], 2, 'as-of'],
    [['export', 'template', 'hosts', '--as-of', '-1h'], 2, 'as-of'],
    [['diff', '--from', 'yesterday', '--biz', '2'], 1, 'must be a time such as'],
    [['history', 'set'], 2, 'An instance is named by its object and its id'],
    [['blame'], 2, 'The instance is missing'],
    [['audit', '--since', '1h', '--until', '2h'], 2, '--since is later than --until'],
    [['audit', '--type', 'modify'], 2, "--type is 'modify': it must be one of add, update, delete, transfer."],
    [['events'], 2, "Use 'mainline events tail'."],
    [['events', 'tail', '--resource', 'sett'], 1, 'The server rejected the request:'],
    [['events', 'tail', '--cursor', 'nonsense'], 1, 'The server rejected the request: the cursor is unknown'],
    [['profile'], 2, "Use 'mainline profile add NAME'"],
    [['profile', 'add'], 2, "Which one? 'mainline profile add NAME'."],
    [['profile', 'add', 'a b', '--server', 'http://x'], 2, "'a b' is not a valid profile name"],
    [['profile', 'add', 'a'], 2, 'The server is missing:'],
    [['profile', 'use', 'a'], 2, "There is no profile 'a'. 'mainline profile add' creates one."],
    [['completion', 'tcsh'], 2, "Say 'mainline completion bash'"],
    [['get', 'groups', '--server', 'http://127.0.0.1:9'], 3, 'No Mainline answered: '],
  ])('%j exits with %d', async (args, code, said) => {
    const ran = await run(...args)
    expect(ran).toMatchObject({ code, out: '' })
    expect(ran.err).toMatch(said)
  })

  it('reports an answer of another program', async () => {
    const other = createServer((_, answer) => answer.writeHead(404).end('not here')).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
    const { code, err } = await run('get', 'groups', '--server', url)
    expect(code).toBe(3)
    expect(err).toContain('No Mainline answered: HTTP 404, and not from Mainline.')
    other.close()
  })

  it('tells an unauthenticated caller how to authenticate, and takes a token from flag, environment and profile', async () => {
    const guarded = await startServer('sqlite', { flags: ['--auth', 'token'] })
    const asked = { user: 'admin', account: '0', name: '', readOnly: false, lifetimeMs: null }
    const { text } = await guarded.service.tokens.create('admin', asked)
    const far = await guarded.service.tokens.create('admin', { ...asked, account: 'far' })
    const get = (...flags: string[]) => run('get', 'businesses', ...flags)
    expect(await get('--server', guarded.url)).toMatchObject({
      code: 1,
      err: expect.stringContaining("MAINLINE_TOKEN or 'mainline profile add'"),
    })
    expect((await get('--server', guarded.url, '--token', text)).code).toBe(0)
    expect((await get('--server', guarded.url, '--token', far.text)).code).toBe(0)
    const elsewhere = await get('--server', guarded.url, '--token', far.text, '--account', '0')
    expect(elsewhere).toMatchObject({ code: 1, err: expect.stringContaining('far') })
    vi.stubEnv('MAINLINE_TOKEN', text)
    expect((await get('--server', guarded.url)).code).toBe(0)
    vi.stubEnv('MAINLINE_TOKEN', '')
    const added = await run('profile', 'add', 'guarded', '--server', guarded.url, '--token', text)
    expect(added.out).toContain("Profile 'guarded' created in")
    expect((await get('--profile', 'guarded')).code).toBe(0)
    const listed = await run('profile', 'list')
    expect(listed.out).toMatch(/^\* {7}guarded {2}http\S+ {17}yes$/m)
    expect(listed.out + added.out).not.toContain(text.slice(5))
    expect((await run('profile', 'remove', 'guarded')).out).toBe(
      "Profile 'guarded' removed. There is no current profile now.\n",
    )
    expect((await get('--profile', 'guarded')).code).toBe(2)
    await guarded.close()
  })
})
