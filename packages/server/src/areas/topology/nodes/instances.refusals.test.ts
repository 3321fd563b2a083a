import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../../testing/data/factories.ts'
import { makeInstance, makeModule, putLevel } from '../../../testing/data/levels.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { putHost, refuses } from '../../../testing/inspect/rows.ts'

/** A region of the business and one with a host in it; a region of another business; a switch, and one of another account. */
interface World {
  business: number
  other: number
  region: number
  housing: number
  otherRegion: number
  device: number
  farDevice: number
}
type Case = [wrong: string, code: number, saying: string, sent: (world: World) => unknown]

/** As text, since an object literal would set the prototype instead. */
const hostile = (body: unknown, key: string) => `${JSON.stringify(body).slice(0, -1)},"${key}":{"admin":true}}`
const ids = (...inst_ids: unknown[]) => ({ delete: { inst_ids } })

const attributes: Case[] = [
  ['an empty name', 1199010, "'bk_inst_name'", () => ({ bk_inst_name: '' })],
  ['a name that is null', 1199010, "'bk_inst_name'", () => ({ bk_inst_name: null })],
  ['a number for a name', 1199007, "'bk_inst_name'", () => ({ bk_inst_name: 5 })],
  ['a list for a name', 1199007, "'bk_inst_name'", () => ({ bk_inst_name: ['x'] })],
  ['a name of 257 bytes', 1199015, '256', () => ({ bk_inst_name: 'x'.repeat(257) })],
  ['a name that is taken', 1199014, 'bk_inst_name', () => ({ bk_inst_name: 'taken' })],
  ['an attribute there is not', 1199011, "'colour'", () => ({ colour: 'red' })],
  ['SQL for an attribute', 1199011, 'DROP TABLE', () => ({ "x'); DROP TABLE node; --": 1 })],
]
const placements: Case[] = [
  ['no business', 1199010, "'bk_biz_id'", () => ({ bk_biz_id: undefined })],
  ['a business that is null', 1199010, "'bk_biz_id'", () => ({ bk_biz_id: null })],
  ['an empty business', 1199010, "'bk_biz_id'", () => ({ bk_biz_id: '' })],
  ['a word for the business', 1199009, "'bk_biz_id'", () => ({ bk_biz_id: 'x' })],
  ['a list for the business', 1199009, "'bk_biz_id'", ({ business }) => ({ bk_biz_id: [business] })],
  ['half a business', 1199009, "'bk_biz_id'", () => ({ bk_biz_id: 1.5 })],
  ['business 0', 1199006, "'bk_biz_id'", () => ({ bk_biz_id: 0 })],
  ['a business beyond all numbers', 1199006, "'bk_biz_id'", () => ({ bk_biz_id: 1e300 })],
  ['a business there is not', 1199011, "'bk_biz_id'", () => ({ bk_biz_id: 999_999 })],
  ['no parent', 1199010, "'bk_parent_id'", () => ({ bk_parent_id: undefined })],
  ['a parent that is null', 1199010, "'bk_parent_id'", () => ({ bk_parent_id: null })],
  ['a word for the parent', 1199009, "'bk_parent_id'", () => ({ bk_parent_id: 'x' })],
  ['parent 0', 1199006, "'bk_parent_id'", () => ({ bk_parent_id: '0' })],
  ['a parent there is not', 1199011, "'bk_parent_id'", () => ({ bk_parent_id: 999_999 })],
  ['another business as the parent', 1199011, "'bk_parent_id'", ({ other }) => ({ bk_parent_id: other })],
]
const batches: Case[] = [
  ['an empty body', 1199010, "'delete'", () => ({})],
  ['a list in place of an object', 1199006, "'delete'", ({ region }) => ({ delete: [region] })],
  ['no ids', 1199010, "'delete.inst_ids'", () => ({ delete: {} })],
  ['ids that are null', 1199010, "'delete.inst_ids'", () => ({ delete: { inst_ids: null } })],
  ['an empty list of ids', 1199010, "'delete.inst_ids'", () => ids()],
  ['a word among the ids', 1199009, "'delete.inst_ids.0'", () => ids('x')],
  ['0 among the ids', 1199006, "'delete.inst_ids.0'", () => ids(0)],
  ['an id beyond all numbers', 1199006, "'delete.inst_ids.0'", () => ids(1e300)],
  ['201 ids', 1199035, '200', ({ region }) => ids(...Array<number>(201).fill(region))],
]
const searches: Case[] = [
  ['a limit of 201', 1199059, '200', () => ({ page: { limit: 201 } })],
  ['a start below 0', 1199006, "'page.start'", () => ({ page: { start: -1 } })],
  ['an unknown field to sort by', 1199011, "'sort'", () => ({ page: { sort: 'colour' } })],
  ['an unknown field', 1199011, "'colour'", () => ({ condition: { colour: 1 } })],
  ['an unknown operator', 1199011, '$where', () => ({ condition: { bk_inst_name: { $where: '1' } } })],
  ['a condition that is a word', 1199006, "'condition'", () => ({ condition: 'x' })],
]
const bodies: [wrong: string, sent: unknown][] = [
  ['a list', []],
  ['null', 'null'],
  ['half of a body', '{"bk_inst_name":'],
]

eachEngine((engine) => {
  let server: TestServer
  let world: World
  beforeAll(async () => {
    server = await startServer(engine)
    await putLevel(server, 'region')
    const [business, other] = [await makeBusiness(server), await makeBusiness(server)]
    const region = (name: string, within = business) =>
      makeInstance(server, 'region', { bk_biz_id: within, bk_parent_id: within, bk_inst_name: name })
    await region('taken')
    await makeInstance(server, 'bk_switch', { bk_inst_name: 'taken' })
    const far = await server.call('POST', '/inst/far/bk_switch', { bk_inst_name: 'far' })
    world = {
      business,
      other,
      region: await region('north'),
      housing: await region('housing'),
      otherRegion: await region('north', other),
      device: await makeInstance(server, 'bk_switch', { bk_inst_name: 'core' }),
      farDevice: far.data.bk_inst_id as number,
    }
    const set = await makeSet(server, business, { bk_parent_id: world.housing })
    await putHost(server, await makeModule(server, business, set, 'web'))
  })
  afterAll(() => server.close())

  const refused = async (code: number, saying: string, method: string, path: string, body?: unknown) => {
    await refuses(server, code, saying, () => server.call(method, path, body))
  }
  const kinds = [
    ['region', (w: World) => w.region, (w: World) => ({ bk_biz_id: w.business, bk_parent_id: w.business })],
    ['bk_switch', (w: World) => w.device, () => ({})],
  ] as const

  describe.each(kinds)('instances of %s', (object, own, place) => {
    const fresh = () => ({ ...place(world), bk_inst_name: 'new' })
    it.each(attributes)('are neither created nor changed with %s', async (_, code, saying, sent) => {
      await refused(code, saying, 'POST', `/inst/0/${object}`, { ...fresh(), ...(sent(world) as object) })
      await refused(code, saying, 'PUT', `/inst/0/${object}/${own(world)}`, sent(world))
    })
    it.each(bodies)('are neither created nor changed by %s', async (_, sent) => {
      await refused(1199000, '', 'POST', `/inst/0/${object}`, sent)
      await refused(1199000, '', 'PUT', `/inst/0/${object}/${own(world)}`, sent)
    })
    it('are not created without a name', () =>
      refused(1199010, "'bk_inst_name'", 'POST', `/inst/0/${object}`, place(world)))
    it.each(['__proto__', 'constructor', 'toString'])('do not have the key %s', async (key) => {
      await refused(1199011, `'${key}'`, 'POST', `/inst/0/${object}`, hostile(fresh(), key))
      await refused(1199011, `'${key}'`, 'PUT', `/inst/0/${object}/${own(world)}`, hostile({ bk_inst_name: 'x' }, key))
      expect({}).not.toHaveProperty('admin')
    })
    it('are not found by the id of another object, another account or an unknown id', async () => {
      for (const id of [
        999_999,
        Number.MAX_SAFE_INTEGER,
        world.farDevice,
        own(world) === world.region ? world.device : world.region,
      ]) {
        await refused(1199019, '', 'PUT', `/inst/0/${object}/${id}`, { bk_inst_name: 'x' })
        await refused(1199019, '', 'PUT', `/inst/0/${object}/${id}`, [])
        await refused(1199019, '', 'DELETE', `/inst/0/${object}/${id}`)
        await refused(1199019, '', 'DELETE', `/inst/0/${object}/${id}?dry_run=true`)
        await refused(1199019, '', 'DELETE', `/inst/0/${object}/batch`, ids(own(world), id))
      }
      for (const id of ['x', '0', '-1', '1.5']) await refused(1199009, '', 'DELETE', `/inst/0/${object}/${id}`)
    })
    it.each(batches)('are not deleted by %s', (_, code, saying, sent) =>
      refused(code, saying, 'DELETE', `/inst/0/${object}/batch`, sent(world)),
    )
    it.each(searches)('are not searched by %s', (_, code, saying, sent) =>
      refused(code, saying, 'POST', `/inst/search/owner/0/object/${object}`, sent(world)),
    )
    it('are not deleted when dry_run is neither true nor false', () =>
      refused(1199006, "'dry_run'", 'DELETE', `/inst/0/${object}/${own(world)}?dry_run=yes`))
  })

  it.each(placements)('a level’s instance is not created with %s', (_, code, saying, sent) =>
    refused(code, saying, 'POST', '/inst/0/region', {
      bk_biz_id: world.business,
      bk_parent_id: world.business,
      bk_inst_name: 'new',
      ...(sent(world) as object),
    }),
  )

  it('hosts anywhere below prevent the deletion of an instance, and of everything deleted with it', async () => {
    await refused(1101030, '', 'DELETE', `/inst/0/region/${world.housing}`)
    const batch = ids(world.region, world.otherRegion, world.housing)
    await refused(1101030, '', 'DELETE', '/inst/0/region/batch', batch)
  })

  it.each(['biz', 'set', 'module', 'host', 'process'])('%s has dedicated operations', (object) =>
    everywhere(object, 'dedicated operations'),
  )
  it.each(['nonsense', '__proto__', 'constructor', "x'--", '%E5%8C%BA'])('%s is no object', (object) =>
    everywhere(object, 'does not exist'),
  )
  async function everywhere(object: string, saying: string) {
    await refused(1101016, saying, 'POST', `/inst/0/${object}`, { bk_inst_name: 'x' })
    await refused(1101016, saying, 'POST', `/inst/0/${object}`, [])
    await refused(1101016, saying, 'PUT', `/inst/0/${object}/1`, { bk_inst_name: 'x' })
    await refused(1101016, saying, 'DELETE', `/inst/0/${object}/1`)
    await refused(1101016, saying, 'DELETE', `/inst/0/${object}/batch`, ids(1))
    await refused(1101016, saying, 'POST', `/inst/search/owner/0/object/${object}`, {})
  }
})
