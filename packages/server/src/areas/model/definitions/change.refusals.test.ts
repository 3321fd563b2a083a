import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { refuses } from '../../../testing/inspect/rows.ts'

/** Existing records that must not change, by kind: their ids. */
type World = Record<
  | 'classification'
  | 'presetClassification'
  | 'object'
  | 'used'
  | 'host'
  | 'group'
  | 'presetGroup'
  | 'attribute'
  | 'env'
  | 'name',
  number
>
type Case = [
  wrong: string,
  code: number,
  saying: string,
  method: string,
  path: string | ((world: World) => string),
  body?: unknown,
  headers?: Record<string, string>,
]

const bob = { BK_User: 'bob' }
const choice = (id: string) => ({ id, name: 'x', type: 'text', is_default: false })

const changes: Case[] = [
  [
    'a name that is taken',
    1199014,
    '_name',
    'PUT',
    (w) => `/object/classification/${w.classification}`,
    { bk_classification_name: '主机管理' },
  ],
  [
    'another identifier',
    1199006,
    'cannot be changed',
    'PUT',
    (w) => `/object/classification/${w.classification}`,
    { bk_classification_id: 'x' },
  ],
  ['an unknown one, before its body', 1199019, '', 'PUT', '/object/classification/999', { bk_classification_name: 5 }],
  ['no number', 1199009, "'id'", 'PUT', '/object/classification/storage', {}],
  [
    'a caller without the privilege',
    9900403,
    'model',
    'PUT',
    (w) => `/object/classification/${w.classification}`,
    {},
    bob,
  ],
  ['a built-in one', 1001035, 'built-in', 'DELETE', (w) => `/object/classification/${w.presetClassification}`],
  ['one with objects', 1101029, 'model under', 'DELETE', (w) => `/object/classification/${w.classification}`],
  ['an unknown one', 1199019, '', 'DELETE', '/object/classification/999'],
  ['a name that is taken', 1199014, 'bk_obj_name', 'PUT', (w) => `/object/${w.object}`, { bk_obj_name: '集群' }],
  ['another identifier', 1199006, 'cannot be changed', 'PUT', (w) => `/object/${w.object}`, { bk_obj_id: 'x' }],
  [
    'no classification',
    1199011,
    'bk_classification_id',
    'PUT',
    (w) => `/object/${w.object}`,
    { bk_classification_id: 'x' },
  ],
  ['pausing the host', 1001035, '', 'PUT', (w) => `/object/${w.host}`, { bk_ispaused: true }],
  ['a word for paused', 1199025, 'bk_ispaused', 'PUT', (w) => `/object/${w.object}`, { bk_ispaused: 'yes' }],
  ['an unknown one, before its body', 1199019, '', 'PUT', '/object/999', { bk_obj_name: 5 }],
  ['a built-in one', 1001035, 'built-in', 'DELETE', (w) => `/object/${w.host}`],
  ['one with instances', 1101037, '[shelf]', 'DELETE', (w) => `/object/${w.used}`],
  ['a caller without the privilege', 9900403, 'model', 'DELETE', (w) => `/object/${w.object}`, undefined, bob],
  [
    'a name that is taken',
    1199014,
    'bk_property_name',
    'PUT',
    (w) => `/object/attr/${w.attribute}`,
    { bk_property_name: 'Remark' },
  ],
  [
    'another identifier',
    1199006,
    'bk_property_id',
    'PUT',
    (w) => `/object/attr/${w.attribute}`,
    { bk_property_id: 'x' },
  ],
  [
    'another type',
    1199006,
    'bk_property_type',
    'PUT',
    (w) => `/object/attr/${w.attribute}`,
    { bk_property_type: 'int' },
  ],
  ['another object', 1199006, 'bk_obj_id', 'PUT', (w) => `/object/attr/${w.attribute}`, { bk_obj_id: 'host' }],
  ['no choices', 1199010, 'option', 'PUT', (w) => `/object/attr/${w.attribute}`, { option: '' }],
  [
    'no group',
    1199011,
    'bk_property_group',
    'PUT',
    (w) => `/object/attr/${w.attribute}`,
    { bk_property_group: 'auto' },
  ],
  ['a built-in choice removed', 1199006, 'choice 1', 'PUT', (w) => `/object/attr/${w.env}`, { option: [choice('2')] }],
  ['a set without a name', 1199006, 'isrequired', 'PUT', (w) => `/object/attr/${w.name}`, { isrequired: false }],
  ['an unknown one, before its body', 1199019, '', 'PUT', '/object/attr/999', { bk_property_name: 5 }],
  ['a built-in one', 1101018, 'built in', 'DELETE', (w) => `/object/attr/${w.name}`],
  ['an unknown one', 1199019, '', 'DELETE', '/object/attr/999'],
  ['a caller without the privilege', 9900403, 'model', 'DELETE', (w) => `/object/attr/${w.attribute}`, undefined, bob],
  ['no condition', 1199010, 'condition', 'PUT', '/objectatt/group/update', { data: { bk_group_name: 'x' } }],
  ['an unknown group', 1199019, '', 'PUT', '/objectatt/group/update', { condition: { id: 999 }, data: {} }],
  ['a built-in group', 1101026, 'built in', 'DELETE', (w) => `/objectatt/group/groupid/${w.presetGroup}`],
  ['a group that holds attributes', 1101026, 'colour', 'DELETE', (w) => `/objectatt/group/groupid/${w.group}`],
  ['an object there is not', 1199019, '', 'POST', '/objectatt/group/property/owner/0/object/none', {}],
  ['an unknown field', 1199011, "'colour'", 'POST', '/object/attr/search', { colour: 1 }],
  ['an unknown operator', 1199011, '$like', 'POST', '/objects', { bk_obj_id: { $like: 'x' } }],
  ['a list for a body', 1199000, 'object', 'POST', '/object/classifications', []],
]

eachEngine((engine) => {
  let server: TestServer
  let world: World
  const make = async (path: string, body: unknown): Promise<number> => {
    const made = await server.call<{ id: number }>('POST', path, body)
    expect(made).toMatchObject({ result: true })
    return made.data.id
  }
  const find = async (path: string, body: unknown) =>
    (await server.call<{ id: number }[]>('POST', path, body)).data[0]?.id ?? 0
  beforeAll(async () => {
    server = await startServer(engine)
    const own = { bk_classification_id: 'storage' }
    world = {
      classification: await make('/object/classification', { ...own, bk_classification_name: 'Storage' }),
      presetClassification: await find('/object/classifications', { bk_classification_id: 'bk_network' }),
      object: await make('/object', { ...own, bk_obj_id: 'rack', bk_obj_name: 'Rack' }),
      used: await make('/object', { ...own, bk_obj_id: 'shelf', bk_obj_name: 'Shelf' }),
      host: await find('/objects', { bk_obj_id: 'host' }),
      group: await make('/objectatt/group/new', { bk_obj_id: 'set', bk_group_id: 'looks', bk_group_name: 'Looks' }),
      presetGroup: await find('/objectatt/group/property/owner/0/object/set', {}),
      attribute: await make('/object/attr', {
        bk_obj_id: 'set',
        bk_property_type: 'enum',
        option: [choice('a')],
        bk_property_id: 'colour',
        bk_property_name: 'Colour',
        bk_property_group: 'looks',
      }),
      env: await find('/object/attr/search', { bk_property_id: 'bk_set_env' }),
      name: await find('/object/attr/search', { bk_property_id: 'bk_set_name' }),
    }
    await server.service.storage.change({ user: 'test', account: '0', requestId: '' }, async (tx) => {
      const none = { business: null, parent: null, biz_id: 0, parent_id: 0, built_in: 0, attributes: '{}' }
      const shelf = { account: '0', object_id: 'shelf', inst_id: 1, name: 'one', name_key: 'one', creator: '' }
      await tx
        .insertInto('node')
        .values({ ...none, ...shelf, create_time: 0, last_time: 0 })
        .execute()
    })
  })
  afterAll(() => server.close())
  /** All rows of the model, in any order. */
  const model = async () => {
    const { read } = server.service.storage
    const tables = ['account', 'classification', 'object', 'attribute_group', 'attribute'] as const
    const rows = await Promise.all(tables.map((table) => read.selectFrom(table).selectAll().execute()))
    return rows.map((each) => each.map((row) => JSON.stringify(row)).toSorted())
  }

  it.each(changes)('refuses %s (%i)', async (_, code, saying, method, path, body, headers) => {
    const before = await model()
    const at = typeof path === 'string' ? path : path(world)
    await refuses(server, code, saying, () => server.call(method, at, body, headers))
    expect(await model()).toEqual(before)
  })
})
