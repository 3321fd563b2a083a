import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readSheet, writeSheet } from '../../sheets/index.ts'
import { findRecords, makeBusiness, makeSet } from '../../testing/data/factories.ts'
import { makeInstance, makeModule } from '../../testing/data/levels.ts'
import {
  importFile,
  type ResultLine as Line,
  type Refused,
  refusedFile,
  type Taken,
} from '../../testing/data/transfer.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'

eachEngine((engine) => {
  let server: TestServer
  let business: number
  let pool: number
  beforeAll(async () => {
    server = await startServer(engine)
    const level = { bk_classification_id: 'bk_biz_topo', bk_obj_id: 'region', bk_obj_name: 'Region' }
    await server.call('POST', '/topo/model/mainline', { ...level, bk_asst_obj_id: 'biz' })
    business = await makeBusiness(server, 'imported')
    const found = await server.call<{ info: [{ bk_biz_id: number }] }>('POST', '/biz/default/0/search', {})
    pool = found.data.info[0].bk_biz_id
  })
  afterAll(() => server.close())

  const taken: Taken = (...sent) => importFile(server.url, ...sent)
  const refused: Refused = (...sent) => refusedFile(server.url, ...sent)
  const outcomes = ({ lines }: { lines: Line[] }) => lines.map(({ row, outcome }) => [row, outcome])
  const exported = async (what: string, query = '') =>
    Buffer.from(await (await fetch(`${server.url}/api/v3/export/${what}?${query}`)).arrayBuffer())
  const hostCount = async (bizId: number) =>
    (await server.call<{ count: number }>('POST', '/hosts/search', { bk_biz_id: bizId })).data.count

  it('a topology file creates nodes, changes nothing when imported again, and updates changed rows', async () => {
    const file = [
      'topo_path,set.bk_capacity,module.operator',
      'Europe,,',
      'Europe/shop,12,',
      'Europe/shop/web,,amy',
      'Europe/a\\/b,,',
      'Asia/shop,,',
      'Europe/shop/web/deep,,',
      'Europe/shop,,',
      'Europe,5,',
      'idle pool,,',
      'Europe//x,,',
    ].join('\n')
    const first = await taken(`topology/${business}`, file)
    expect(outcomes(first)).toEqual([
      [2, 'created'],
      [3, 'created'],
      [4, 'created'],
      [5, 'created'],
      [6, 'failed'],
      [7, 'failed'],
      [8, 'failed'],
      [9, 'failed'],
      [10, 'failed'],
      [11, 'failed'],
    ])
    expect(first.lines.slice(4).map(({ why }) => why)).toEqual([
      expect.stringContaining('its parent Asia does not exist'),
      expect.stringContaining('a path must have 1 to 3 names; this one has 4'),
      expect.stringContaining('it duplicates row 3'),
      expect.stringMatching(/it duplicates row 2|does not apply to region/),
      expect.stringContaining('idle pool is built in'),
      "'topo_path' unassigned",
    ])
    const again = await taken(`topology/${business}`, file.split('\n').slice(0, 5).join('\n').replace('12', '13'))
    expect(outcomes(again)).toEqual([
      [2, 'unchanged'],
      [3, 'updated'],
      [4, 'unchanged'],
      [5, 'unchanged'],
    ])
    const audit = await findRecords(server, { op_target: 'set', bk_biz_id: business })
    expect(audit.data.info.map(({ op_desc, operator }) => [op_desc, operator])).toEqual([
      ['create set', 'admin'],
      ['create set', 'admin'],
      ['update set', 'admin'],
    ])
    const back = await readSheet(await exported(`topology/${business}`))
    expect(back.rows.map((row) => row.cells[0])).toEqual(['Europe', 'Europe/a\\/b', 'Europe/shop', 'Europe/shop/web'])
  })

  it('hosts are found by address and placed by their path, and the same file again changes nothing', async () => {
    const file = [
      'bk_host_innerip,内网IP,topo_path,Operating system family,bk_comment',
      '10.1.0.1,,Europe/shop/web,Linux,=1+1',
    ].join('\n')
    expect((await refused(`hosts/${business}`, file)).bk_error_msg).toContain('is duplicated')
    const good = [
      'bk_host_innerip;topo_path;Operating system family;bk_comment',
      "10.1.0.1;Europe/shop/web;Linux;'=1+1",
      '10.1.0.2;空闲机池/故障机;2;',
      '10.1.0.3;;;',
      '10.1.0.4;Europe/shop/nope;;',
      '10.1.0.5;Europe/shop;;',
      '10.1.0.6;Europe/shop/web|idle pool/idle machine;;',
      '10.1.0.1;;;twice',
      '10.1.0.7;;9;',
      ';;;',
      '2001:db8::0001;;;',
      '2001:DB8:0::1;;;',
      `10.1.0.8;;;${'x'.repeat(30_000)}`,
      '10.1.0.9;;;;;',
    ].join('\r\n')
    const first = await taken(`hosts/${business}`, good)
    expect(first.lines.map(({ row, outcome, why = '' }) => [row, outcome, why])).toEqual([
      [2, 'created', ''],
      [3, 'created', ''],
      [4, 'created', ''],
      [5, 'failed', expect.stringContaining('Europe/shop/nope does not exist')],
      [6, 'failed', expect.stringContaining('Europe/shop is not a module')],
      [7, 'failed', expect.stringContaining('cannot be combined with other modules')],
      [8, 'failed', expect.stringContaining('it duplicates row 2')],
      [9, 'failed', expect.stringContaining('must be one of 1, 2, 3')],
      [11, 'created', ''],
      [12, 'failed', expect.stringContaining('it duplicates row 11')],
      [13, 'failed', expect.stringContaining('at most 2000 bytes')],
      [14, 'created', ''],
    ])
    const again = await taken(`hosts/${business}`, good.split('\r\n').slice(0, 4).join('\n'))
    expect(again.summary).toMatchObject({ unchanged: 3, created: 0, updated: 0, failed_file: null })
    const moved = await taken(`hosts/${business}`, 'bk_host_innerip,topo_path\n10.1.0.3,Europe/shop/web\n10.1.0.1,\n')
    expect(outcomes(moved)).toEqual([
      [2, 'updated'],
      [3, 'unchanged'],
    ])
    const file2 = Buffer.from(first.summary.failed_file?.base64 ?? '', 'base64')
    const back = await readSheet(file2)
    expect(back.columns.at(-1)).toBe('import_error')
    expect(back.rows.map((row) => row.cells[0])).toEqual([
      '10.1.0.4',
      '10.1.0.5',
      '10.1.0.6',
      '10.1.0.1',
      '10.1.0.7',
      '2001:DB8:0::1',
      '10.1.0.8',
    ])
    expect((await taken(`hosts/${business}`, file2)).summary).toMatchObject({ failed: 5, unchanged: 1, updated: 1 })
  })

  it.each(['csv', 'xlsx'])('an export as %s can be imported again, and changes nothing', async (format) => {
    // Includes its change count, which validates caches.
    const stored = () => server.service.storage.read.selectFrom('business').selectAll().execute()
    const before = await stored()
    for (const what of [`hosts/${business}`, `topology/${business}`]) {
      const { summary } = await taken(what, await exported(what, `format=${format}`))
      expect(summary).toMatchObject({ unchanged: summary.rows, failed: 0 })
      expect(summary.rows).toBeGreaterThan(3)
    }
    expect(await stored()).toEqual(before)
  })

  it.each(['csv', 'xlsx'])(
    'names that look like a comment or end in blanks come back whole from %s',
    async (format) => {
      const [from, to] = [await makeBusiness(server, `odd ${format}`), await makeBusiness(server, `again ${format}`)]
      const names = ['#1', ' # 2', ' both ', 'end\\ ', ' x']
      for (const name of names) {
        const region = await makeInstance(server, 'region', { bk_biz_id: from, bk_parent_id: from, bk_inst_name: name })
        const set = await makeSet(server, from, { bk_parent_id: region, bk_set_name: `${name}set ` })
        await makeModule(server, from, set, '#m ')
      }
      await taken(`hosts/${from}`, `topo_path,bk_host_innerip\n\\#1/#1set\\ /#m\\ ,10.20.${from}.1\n`)
      for (const what of ['topology', 'hosts']) {
        const file = await exported(`${what}/${from}`, `format=${format}`)
        const { summary } = await taken(`${what}/${from}`, file)
        expect(summary).toMatchObject({ rows: what === 'hosts' ? 1 : 15, unchanged: summary.rows })
      }
      const file = await exported(`topology/${from}`, `format=${format}`)
      expect((await taken(`topology/${to}`, file)).summary).toMatchObject({ created: 15, failed: 0 })
      const stored = await server.service.storage.read
        .selectFrom('node')
        .select('name')
        .where('object_id', '=', 'region')
        .where('biz_id', '=', to)
        .execute()
      expect(new Set(stored.map((each) => each.name))).toEqual(new Set(names))
    },
  )

  it('a dry run reports the result of every row and changes nothing', async () => {
    const before = await findRecords(server, {})
    const hosts = await taken(`hosts/${business}`, 'bk_host_innerip\n10.2.0.1\n10.2.0.300\n10.1.0.1\n', 'dry_run=true')
    expect(outcomes(hosts)).toEqual([
      [2, 'created'],
      [3, 'failed'],
      [4, 'unchanged'],
    ])
    const grown = await taken(
      `topology/${business}`,
      'topo_path\nAfrica\nAfrica/shop\nAfrica/shop/web\n',
      'dry_run=true',
    )
    expect(grown.summary).toMatchObject({ created: 3, failed: 0, dry_run: true })
    expect((await findRecords(server, {})).data.count).toBe(before.data.count)
  })

  it('an atomic file is imported completely or not at all', async () => {
    const rows = (last: string) => `bk_host_innerip\n10.3.0.1\n10.3.0.2\n${last}\n`
    const count = await hostCount(business)
    const bad = await taken(`hosts/${business}`, rows('nonsense'), 'atomic=true')
    expect(outcomes(bad)).toEqual([
      [2, 'skipped'],
      [3, 'skipped'],
      [4, 'failed'],
    ])
    expect(await hostCount(business)).toBe(count)
    expect((await taken(`hosts/${business}`, rows('10.3.0.3'), 'atomic=true')).summary).toMatchObject({ created: 3 })
  })

  it('an atomic or dry run import cannot be resumed at a later row', async () => {
    const count = await hostCount(business)
    const refusal = { status: 400, bk_error_code: 1199006, bk_error_msg: expect.stringContaining("'from'") }
    const file = 'bk_host_innerip\nnonsense\n10.3.1.2\n'
    expect(await refused(`hosts/${business}`, file, 'atomic=true&from=3')).toMatchObject(refusal)
    expect(await hostCount(business)).toBe(count)
    const tree = 'topo_path\nAfrica\nAfrica/shop\n'
    expect(await refused(`topology/${business}`, tree, 'dry_run=true&from=3')).toMatchObject(refusal)
    expect((await taken(`hosts/${business}`, file, 'dry_run=true&from=3')).summary).toMatchObject({ created: 1 })
    expect((await taken(`hosts/${business}`, file, 'atomic=true&from=1')).summary).toMatchObject({ skipped: 1 })
  })

  it('the report of an import in progress is completed when the server stops', async () => {
    const stopping = await startServer(engine)
    const rows = Array.from({ length: 2_500 }, (_, index) => `10.8.${index >> 8}.${index & 255}`)
    const answer = await fetch(`${stopping.url}/api/v3/import/hosts/${await makeBusiness(stopping, 'left')}`, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: `bk_host_innerip\n${rows.join('\n')}\n`,
    })
    const closing = stopping.close()
    const lines = (await answer.text()).trimEnd().split('\n')
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ done: true, created: rows.length })
    await closing
  })

  it('the same file imported twice concurrently creates everything once', async () => {
    const addresses = Array.from({ length: 300 }, (_, index) => `10.7.${index >> 8}.${index & 255}`)
    const both = await Promise.all(
      [1, 2].map(() => taken(`hosts/${business}`, `bk_host_innerip\n${addresses.join('\n')}\n`)),
    )
    const [created, unchanged] = (['created', 'unchanged'] as const).map((each) =>
      both.reduce((sum, { summary }) => sum + summary[each], 0),
    )
    expect([created, unchanged]).toEqual([300, 300])
    const grown = await Promise.all([1, 2].map(() => taken(`topology/${business}`, 'topo_path\nTwice\nTwice/x\n')))
    expect(grown.map(({ summary }) => summary.created).toSorted()).toEqual([0, 2])
  })

  it('resumes at the given row, and still detects repeated rows', async () => {
    const file = 'bk_host_innerip\n10.4.0.1\n10.4.0.2\n10.4.0.1\n10.4.0.3\n'
    expect(outcomes(await taken(`hosts/${business}`, file, 'from=3'))).toEqual([
      [3, 'created'],
      [4, 'failed'],
      [5, 'created'],
    ])
    expect((await taken(`hosts/${business}`, file, 'from=99')).summary).toMatchObject({ rows: 0, done: true })
  })

  it('hosts of another business are not moved; the pool has its own privilege', async () => {
    const other = await makeBusiness(server)
    const { lines } = await taken(`hosts/${other}`, 'bk_host_innerip\n10.1.0.1\n')
    expect(lines[0]).toMatchObject({ outcome: 'failed', code: 1106010 })
    const file = 'bk_host_innerip\n10.5.0.1\n'
    const [amy, kofi] = [{ BK_User: 'amy' }, { BK_User: 'kofi' }]
    expect((await taken(`hosts/${business}`, file, '', amy)).summary).toMatchObject({ created: 1 })
    for (const at of [`hosts/${business}`, `topology/${business}`, 'estate/0']) {
      expect(await refused(at, file, '', kofi)).toMatchObject({ status: 403, bk_error_code: 9900403 })
    }
    expect(await refused(`hosts/${pool}`, file, '', amy)).toMatchObject({ status: 403 })
    expect((await taken(`hosts/${pool}`, 'bk_host_innerip\n10.5.0.2\n')).summary).toMatchObject({ created: 1 })
  })

  it('cells are converted by the attribute’s type: spreadsheet dates, choices by name, booleans', async () => {
    const define = (id: string, type: string, option?: unknown) =>
      server.call('POST', '/object/attr', {
        bk_obj_id: 'host',
        bk_property_id: id,
        bk_property_name: id,
        bk_property_type: type,
        option,
      })
    await define('bought', 'date')
    await define('seen', 'time')
    await define('leased', 'bool')
    const head = ['bk_host_innerip', 'bought', 'seen', 'leased', 'bk_os_type']
    const rows = [[head, ['10.6.0.1', 46053, 46053.5, true, 'windows'], ['10.6.0.2', '2026-02-30', '', 'perhaps', '']]]
    const file = await buffer(writeSheet('xlsx', [{ name: 's', rows }]))
    expect(outcomes(await taken(`hosts/${business}`, file))).toEqual([
      [2, 'created'],
      [3, 'failed'],
    ])
    const condition = [{ bk_obj_id: 'host', fields: head, condition: [] }]
    const found = await server.call<{ info: [{ host: object }] }>('POST', '/hosts/search', {
      ip: { data: ['10.6.0.1'] },
      condition,
    })
    expect(found.data.info[0].host).toMatchObject({
      bought: '2026-01-31',
      seen: '2026-01-31 12:00:00',
      leased: true,
      bk_os_type: '2',
    })
  })

  it('a unique rule refuses the rows that violate it, what is below them, and no others', async () => {
    const { data } = await server.call<{ id: number }[]>('POST', '/object/attr/search', {
      bk_obj_id: 'set',
      bk_property_id: 'bk_set_desc',
    })
    const keys = [{ key_kind: 'property', key_id: data[0]?.id }]
    const path = '/object/set/unique/action'
    const made = await server.call<{ id: number }>('POST', `${path}/create`, { keys })
    const file = ['topo_path,set.bk_set_desc', 'Rule,', 'Rule/a,x', 'Rule/b,x', 'Rule/b/web,', 'Rule/c,y'].join('\n')
    const first = await taken(`topology/${business}`, file)
    expect(first.lines.map(({ row, outcome, why = '' }) => [row, outcome, why])).toEqual([
      [2, 'created', ''],
      [3, 'created', ''],
      [4, 'failed', expect.stringContaining('bk_set_desc')],
      [5, 'failed', expect.stringContaining('Rule/b does not exist')],
      [6, 'created', ''],
    ])
    const again = await taken(`topology/${business}`, 'topo_path,set.bk_set_desc\nRule/a,z\nRule/c,z')
    expect(outcomes(again)).toEqual([
      [2, 'updated'],
      [3, 'failed'],
    ])
    const back = await readSheet(await exported(`topology/${business}`))
    const described = back.rows.filter((row) => row.cells[0]?.startsWith('Rule/')).map((row) => row.cells[0])
    expect(described).toEqual(['Rule/a', 'Rule/c'])
    await server.call('DELETE', `/object/set/unique/${made.data.id}/action/delete`)
  })
})
