import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findSets, makeBusiness, makeSet, setBody } from '../../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { putHost, putModule, refuses } from '../../../testing/inspect/rows.ts'

/** Existing records that must not change: two businesses, one of another account, and sets in them. */
interface World {
  business: number
  other: number
  far: number
  /** Of another account. */
  farSet: number
  set: number
  sibling: number
  otherSet: number
  /** The idle pool of the business. */
  internal: number
  /** A set with a host in one of its modules. */
  housing: number
}
/** What is wrong, the code, a part of the message, and the request; keys that are undefined are left out. */
type Case = [wrong: string, code: number, saying: string, sent: (world: World) => unknown, headers?: Headers]
type Headers = Record<string, string>

const long = (length: number) => 'x'.repeat(length)
const bob = { BK_User: 'bob' }
/** As text, since an object literal would set the prototype instead. */
const hostile = (body: unknown, key: string) => `${JSON.stringify(body).slice(0, -1)},"${key}":{"admin":true}}`

const attributes: Case[] = [
  ['an empty name', 1199010, "'bk_set_name'", () => ({ bk_set_name: '' })],
  ['a name that is null', 1199010, "'bk_set_name'", () => ({ bk_set_name: null })],
  ['a number for a name', 1199007, "'bk_set_name'", () => ({ bk_set_name: 5 })],
  ['a list for a name', 1199007, "'bk_set_name'", () => ({ bk_set_name: ['x'] })],
  ['a name of 257 bytes', 1199015, '256', () => ({ bk_set_name: long(257) })],
  ['a name of 86 characters and 258 bytes', 1199015, '258', () => ({ bk_set_name: '集'.repeat(86) })],
  ['the name of a sibling', 1199014, 'bk_set_name', () => ({ bk_set_name: 'sibling' })],
  ['the name of the idle pool', 1199014, 'bk_set_name', () => ({ bk_set_name: 'idle pool' })],
  ['its Chinese name', 1199014, 'bk_set_name', () => ({ bk_set_name: '空闲机池' })],
  ['a description of 257 bytes', 1199015, "'bk_set_desc'", () => ({ bk_set_desc: long(257) })],
  ['a remark of 2001 bytes', 1199015, "'description'", () => ({ description: long(2001) })],
  ['a remark that is no text', 1199007, "'description'", () => ({ description: true })],
  ['a word for the capacity', 1199009, "'bk_capacity'", () => ({ bk_capacity: 'many' })],
  ['half a capacity', 1199009, "'bk_capacity'", () => ({ bk_capacity: 1.5 })],
  ['yes for the capacity', 1199009, "'bk_capacity'", () => ({ bk_capacity: true })],
  ['a list for the capacity', 1199009, "'bk_capacity'", () => ({ bk_capacity: [5] })],
  ['a capacity below 1', 1199006, 'between 1 and 999999999', () => ({ bk_capacity: 0 })],
  ['a capacity of a thousand million', 1199006, "'bk_capacity'", () => ({ bk_capacity: 1e9 })],
  ['a capacity beyond all numbers', 1199009, "'bk_capacity'", () => ({ bk_capacity: 1e300 })],
  ['an environment there is not', 1199006, '1, 2, 3', () => ({ bk_set_env: 4 })],
  ['the name of an environment', 1199006, "'bk_set_env'", () => ({ bk_set_env: 'formal' })],
  ['a list of environments', 1199006, "'bk_set_env'", () => ({ bk_set_env: ['1'] })],
  ['a status there is not', 1199006, '1, 2', () => ({ bk_service_status: '3' })],
  ['an attribute that sets do not have', 1199011, "'colour'", () => ({ colour: 'red' })],
  ['an attribute of another object', 1199011, "'bk_biz_name'", () => ({ bk_biz_name: 'x' })],
  ['an attribute with SQL in its name', 1199011, 'DROP TABLE', () => ({ "x'); DROP TABLE node; --": 1 })],
  ['the business left out', 1199010, "'bk_biz_id'", () => ({ bk_biz_id: undefined })],
  ['no business', 1199010, "'bk_biz_id'", () => ({ bk_biz_id: null })],
  ['a business that is no number', 1199009, "'bk_biz_id'", () => ({ bk_biz_id: 'x' })],
  ['business 0', 1199006, "'bk_biz_id'", () => ({ bk_biz_id: 0 })],
  ['another business than the path', 1199006, "'bk_biz_id'", ({ other }) => ({ bk_biz_id: other })],
]

const creations: Case[] = [
  ...attributes,
  ['the name left out', 1199010, "'bk_set_name'", () => ({ bk_set_name: undefined })],
  ['the parent left out', 1199010, "'bk_parent_id'", () => ({ bk_parent_id: undefined })],
  ['no parent', 1199010, "'bk_parent_id'", () => ({ bk_parent_id: null })],
  ['a parent that is no number', 1199009, "'bk_parent_id'", () => ({ bk_parent_id: 'x' })],
  ['parent 0', 1199006, "'bk_parent_id'", () => ({ bk_parent_id: 0 })],
  ['a parent there is not', 1199011, "'bk_parent_id'", () => ({ bk_parent_id: 999_999 })],
  ['a parent beyond all numbers', 1199006, "'bk_parent_id'", () => ({ bk_parent_id: 1e300 })],
  ['another business as the parent', 1199011, "'bk_parent_id'", ({ other }) => ({ bk_parent_id: other })],
  ['a set as the parent', 1199011, "'bk_parent_id'", ({ housing }) => ({ bk_parent_id: housing })],
  ['the account left out', 1199010, "'bk_supplier_account'", () => ({ bk_supplier_account: undefined })],
  ['no account', 1199010, "'bk_supplier_account'", () => ({ bk_supplier_account: '' })],
  ['a number for the account', 1199007, "'bk_supplier_account'", () => ({ bk_supplier_account: 0 })],
  ['an account of 65 characters', 1199006, "'bk_supplier_account'", () => ({ bk_supplier_account: long(65) })],
  ['an account that does not have the business', 1199019, '', () => ({ bk_supplier_account: 'far' })],
  ['a caller without a role', 9900403, "needs 'topoupdate' in business", () => ({}), bob],
]

const updates: Case[] = [...attributes, ['a caller without a role', 9900403, "'topoupdate'", () => ({}), bob]]

const batches: Case[] = [
  ['an empty body', 1199010, "'delete'", () => ({})],
  ['nothing to delete', 1199010, "'delete'", () => ({ delete: null })],
  ['a list in place of an object', 1199006, "'delete'", ({ set }) => ({ delete: [set] })],
  ['no ids', 1199010, "'delete.inst_ids'", () => ({ delete: {} })],
  ['ids that are null', 1199010, "'delete.inst_ids'", () => ({ delete: { inst_ids: null } })],
  ['an empty list of ids', 1199010, "'delete.inst_ids'", () => ({ delete: { inst_ids: [] } })],
  ['one id without a list', 1199006, "'delete.inst_ids'", ({ set }) => ({ delete: { inst_ids: set } })],
  ['a word among the ids', 1199009, "'delete.inst_ids.1'", ({ set }) => ids(set, 'x')],
  ['half an id', 1199009, "'delete.inst_ids.1'", ({ set }) => ids(set, 1.5)],
  ['null among the ids', 1199010, "'delete.inst_ids.1'", ({ set }) => ids(set, null)],
  ['0 among the ids', 1199006, "'delete.inst_ids.1'", ({ set }) => ids(set, 0)],
  ['an id beyond all numbers', 1199006, "'delete.inst_ids.1'", ({ set }) => ids(set, 1e300)],
  ['201 ids', 1199035, '200', ({ set }) => ids(...Array<number>(201).fill(set))],
  ['an unknown one among them', 1199019, '', ({ set }) => ids(set, 999_999)],
  ['one of another business', 1199019, '', ({ set, otherSet }) => ids(set, otherSet)],
  ['one of another account', 1199019, '', ({ set, farSet }) => ids(set, farSet)],
  ['the idle pool among them', 1101009, 'built in', ({ set, internal }) => ids(set, internal)],
  ['one that holds a host', 1101030, '', ({ set, housing }) => ids(set, housing)],
  ['a caller without a role', 9900403, "'topoupdate'", ({ set }) => ids(set), bob],
]
const ids = (...inst_ids: unknown[]) => ({ delete: { inst_ids } })

eachEngine((engine) => {
  let server: TestServer
  let world: World
  beforeAll(async () => {
    server = await startServer(engine)
    const [business, other] = [await makeBusiness(server), await makeBusiness(server)]
    const far = (await server.call<{ bk_biz_id: number }>('POST', '/biz/far', { bk_biz_name: 'Far' })).data.bk_biz_id
    const internal = (await findSets(server, business, { default: 1 })).data.info[0]?.bk_set_id as number
    const housing = await makeSet(server, business, { bk_set_name: 'housing' })
    await putHost(server, await putModule(server, housing))
    world = {
      business,
      other,
      far,
      internal,
      housing,
      set: await makeSet(server, business, { bk_set_name: 'set' }),
      sibling: await makeSet(server, business, { bk_set_name: 'sibling' }),
      otherSet: await makeSet(server, other),
      farSet: await makeSet(server, far, { bk_supplier_account: 'far' }),
    }
    await putModule(server, world.set)
  })
  afterAll(() => server.close())

  const refused = (code: number, saying: string, method: string, path: string, body?: unknown, headers?: Headers) =>
    refuses(server, code, saying, () => server.call(method, path, body, headers))
  /** The same, for a path below the business, unless the path says otherwise. */
  const places: [wrong: string, code: number, business: (world: World) => string, headers?: Headers][] = [
    ['a business there is not', 1199019, () => '999999'],
    ['a business of another account', 1199019, ({ far }) => `${far}`],
    ['another account', 1199019, ({ business }) => `${business}`, { HTTP_BK_SUPPLIER_ACCOUNT: 'far' }],
    ['the maintainer of other businesses only', 9900403, () => '1', { BK_User: 'amy' }],
    ['a word for the business', 1199009, () => 'x'],
    ['business 0', 1199009, () => '0'],
  ]

  describe('create_set refuses', () => {
    const body = ({ business }: World) => setBody(business, { bk_set_name: 'new' })
    it.each(creations)('%s', async (_, code, saying, sent, headers) => {
      const whole = { ...body(world), ...(sent(world) as object) }
      await refused(code, saying, 'POST', `/set/${world.business}`, whole, headers)
    })
    it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('the key %s', async (key) => {
      await refused(1199011, `'${key}'`, 'POST', `/set/${world.business}`, hostile(body(world), key))
      expect({}).not.toHaveProperty('admin')
    })
    it.each(places)('%s', async (_, code, business, headers) => {
      const { bk_supplier_account, ...rest } = body(world)
      const account = headers?.HTTP_BK_SUPPLIER_ACCOUNT ?? bk_supplier_account
      const sent = { ...rest, bk_supplier_account: account }
      await refused(code, '', 'POST', `/set/${business(world)}`, sent, headers)
    })
  })

  describe('update_set refuses', () => {
    it.each(updates)('%s', async (_, code, saying, sent, headers) => {
      const whole = { bk_biz_id: world.business, ...(sent(world) as object) }
      await refused(code, saying, 'PUT', `/set/${world.business}/${world.set}`, whole, headers)
    })
    it.each(['__proto__', 'constructor'])('the key %s', async (key) => {
      const sent = hostile({ bk_biz_id: world.business }, key)
      await refused(1199011, `'${key}'`, 'PUT', `/set/${world.business}/${world.set}`, sent)
    })
    it.each(places)('%s', async (_, code, business, headers) => {
      const path = `/set/${business(world)}/${world.set}`
      await refused(code, '', 'PUT', path, { bk_biz_id: world.business, bk_capacity: 5 }, headers)
    })
    it('a set that does not exist, is elsewhere, or has an invalid id', async () => {
      const update = (code: number, id: unknown, saying = '') =>
        refused(code, saying, 'PUT', `/set/${world.business}/${id}`, { bk_biz_id: world.business, bk_capacity: 5 })
      for (const id of [999_999, world.otherSet, world.farSet]) await update(1199019, id)
      for (const id of ['x', '0', '-1', '1.5']) await update(1199009, id, "'bk_set_id'")
    })
    it('another name for the idle pool', async () => {
      const rename = { bk_biz_id: world.business, bk_set_name: 'mine', bk_capacity: 5 }
      await refused(1101009, 'built in', 'PUT', `/set/${world.business}/${world.internal}`, rename)
    })
  })

  describe('delete_set refuses', () => {
    const remove = async (code: number, id: unknown, saying = '') => {
      await refused(code, saying, 'DELETE', `/set/${world.business}/${id}`)
    }
    it.each(places)('%s', async (_, code, business, headers) => {
      await refused(code, '', 'DELETE', `/set/${business(world)}/${world.set}`, undefined, headers)
    })
    it.each(['x', '0', '-1', '1.5', '1e3', '９'])('%s for an id', (id) => remove(1199009, id, "'bk_set_id'"))
    it('a set that does not exist', () => remove(1199019, 999_999))
    it('the largest possible id', () => remove(1199019, Number.MAX_SAFE_INTEGER))
    it('a set of another business', () => remove(1199019, world.otherSet))
    it('a set of another account', () => remove(1199019, world.farSet))
    it('the idle pool', () => remove(1101009, world.internal, 'built in'))
    it('a set with a host in it', () => remove(1101030, world.housing))
    it('a body that is not JSON', async () => {
      await refused(1199000, '', 'DELETE', `/set/${world.business}/${world.set}`, '{')
    })
  })

  describe('batch_delete_set refuses', () => {
    it.each(batches)('%s', async (_, code, saying, sent, headers) => {
      await refused(code, saying, 'DELETE', `/set/${world.business}/batch`, sent(world), headers)
    })
    it.each(places)('%s', async (_, code, business, headers) => {
      await refused(code, '', 'DELETE', `/set/${business(world)}/batch`, ids(world.set), headers)
    })
  })
})
