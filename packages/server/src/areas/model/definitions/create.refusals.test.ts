import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { refuses } from '../../../testing/inspect/rows.ts'

type Case = [wrong: string, code: number, saying: string, path: string, body: object, headers: Record<string, string>]

const bob = { BK_User: 'bob' }
const long = (length: number) => 'x'.repeat(length)
const classification = { bk_classification_id: 'fresh', bk_classification_name: 'Fresh' }
const object = { bk_obj_id: 'fresh', bk_obj_name: 'Fresh', bk_classification_id: 'bk_network' }
const attribute = { bk_obj_id: 'set', bk_property_id: 'fresh', bk_property_name: 'Fresh', bk_property_type: 'int' }
const group = { bk_obj_id: 'set', bk_group_id: 'fresh', bk_group_name: 'Fresh' }
const choice = (id: unknown, more = {}) => ({ id, name: 'x', type: 'text', is_default: false, ...more })

type Wrong = [wrong: string, code: number, saying: string, change: object, headers?: Record<string, string>]
/** Each body is valid except for one part. */
const creating = (path: string, right: object, cases: Wrong[]): Case[] =>
  cases.map(([wrong, code, saying, change, headers = {}]) => [
    `POST ${path}: ${wrong}`,
    code,
    saying,
    path,
    { ...right, ...change },
    headers,
  ])
const naming = (id: string, name: string): Wrong[] => [
  ['no identifier', 1199010, id, { [id]: undefined }],
  ['an empty identifier', 1199010, id, { [id]: '' }],
  ['a number as identifier', 1199007, id, { [id]: 5 }],
  ['an identifier with a hyphen', 1199006, id, { [id]: 'a-1' }],
  ['an identifier that is too long', id === 'bk_property_id' ? 1199006 : 1199015, id, { [id]: long(65) }],
  ['no name', 1199010, name, { [name]: undefined }],
  ['an empty name', 1199010, name, { [name]: '' }],
  ['a name of 258 bytes', 1199015, '258', { [name]: '集'.repeat(86) }],
  ['a name with NUL', 1199006, name, { [name]: 'a\0' }],
  ['a caller without the privilege', 9900403, "needs 'model'", {}, bob],
]
const typed = (type: string, option: unknown) => ({ bk_property_type: type, option })

const creations: Case[] = [
  ...creating('/object/classification', classification, [
    ...naming('bk_classification_id', 'bk_classification_name'),
    ['an identifier taken but for its case', 1199014, 'bk_classification_id', { bk_classification_id: 'STORAGE' }],
    ['a name that is taken', 1199014, 'bk_classification_name', { bk_classification_name: 'Storage' }],
    ['a built-in name in Chinese', 1199014, 'bk_classification_name', { bk_classification_name: '网络' }],
  ]),
  ...creating('/object', object, [
    ...naming('bk_obj_id', 'bk_obj_name'),
    ['an identifier taken but for its case', 1199014, 'bk_obj_id', { bk_obj_id: 'Host' }],
    ['a word of the log', 1199006, 'Model', { bk_obj_id: 'Model' }],
    ['an event of no object', 1199006, 'moduletransfer is a reserved word', { bk_obj_id: 'moduletransfer' }],
    ['such an event but for its case', 1199006, 'hostIdentifier is a reserved word', { bk_obj_id: 'hostIdentifier' }],
    ['a name that is taken', 1199014, 'bk_obj_name', { bk_obj_name: 'Rack' }],
    ['a built-in name in Chinese', 1199014, 'bk_obj_name', { bk_obj_name: '主机' }],
    ['a classification there is not', 1199011, 'bk_classification_id', { bk_classification_id: 'none' }],
  ]),
  ...creating('/objectatt/group/new', group, [
    ...naming('bk_group_id', 'bk_group_name'),
    ['an object there is not', 1199011, 'bk_obj_id', { bk_obj_id: 'none' }],
    ['an identifier that is taken', 1199014, 'bk_group_id', { bk_group_id: 'Default' }],
    ['a built-in name in Chinese', 1199014, 'bk_group_name', { bk_group_name: '基础信息' }],
    ['an index below 0', 1199006, 'bk_group_index', { bk_group_index: -1 }],
  ]),
  ...creating('/object/attr', attribute, [
    ...naming('bk_property_id', 'bk_property_name'),
    ['an object there is not', 1199011, 'bk_obj_id', { bk_obj_id: 'none' }],
    ['an identifier with a capital', 1199006, 'bk_property_id', { bk_property_id: 'Fresh' }],
    ['a field of every record', 1199006, 'bk_biz_id', { bk_property_id: 'bk_biz_id' }],
    ['a word of the language', 1199006, 'constructor', { bk_property_id: 'constructor' }],
    ['an identifier that is taken', 1199014, 'bk_property_id', { bk_property_id: 'bk_set_env' }],
    ['a name that is taken', 1199014, 'bk_property_name', { bk_property_name: 'Colour' }],
    ['a built-in name in Chinese', 1199014, 'bk_property_name', { bk_property_name: '集群名' }],
    ['a type there is not', 1199006, 'singlechar, longchar', { bk_property_type: 'list' }],
    ['a group there is not', 1199011, 'bk_property_group', { bk_property_group: 'none' }],
    ['a word for isrequired', 1199025, 'isrequired', { isrequired: 'yes' }],
    ['a unit of 257 bytes', 1199015, 'unit', { unit: long(257) }],
    ['a range that is a list', 1199006, 'option', typed('int', [1, 2])],
    ['half a bound', 1199009, 'option.min', typed('int', { min: 1.5 })],
    ['a word for a bound', 1199042, 'option.max', typed('float', { max: 'many' })],
    ['a range upside down', 1199006, 'min must not', typed('float', { min: 2, max: 1 })],
    ['an enum without choices', 1199010, 'option', typed('enum', undefined)],
    ['an enum with none', 1199010, 'option', typed('enum', [])],
    ['choices that are an object', 1199006, 'option', typed('enum', { id: 1 })],
    ['a choice that is a text', 1199006, 'option.0', typed('enum', ['red'])],
    ['a choice without a name', 1199010, 'option.1.name', typed('enum', [choice('a'), { id: 'b' }])],
    ['two choices of one id', 1199006, '1 is duplicated', typed('enum', [choice(1), choice('1')])],
    [
      'two defaults',
      1199006,
      'default',
      typed(
        'enum',
        [1, 2].map((id) => choice(id, { is_default: true })),
      ),
    ],
    [
      '501 choices',
      1199035,
      '500',
      typed(
        'enum',
        Array.from({ length: 501 }, (_, id) => choice(id)),
      ),
    ],
    ['a pattern that is a number', 1199007, 'option', typed('singlechar', 5)],
    ['a pattern that RE2 does not know', 1199006, 'RE2', typed('longchar', '(?=a)')],
    ['a pattern of 501 characters', 1199006, '500', typed('singlechar', long(501))],
    ['a pattern that is too large', 1199006, 'too complex', typed('singlechar', 'a{1000}'.repeat(70))],
    ['one that grows by nesting', 1199006, 'RE2', typed('singlechar', '((a{99}){99}){99}')],
    ['an option of a bool', 1199006, 'bool', typed('bool', true)],
    ['an option of users', 1199006, 'objuser', typed('objuser', '^a')],
  ]),
]

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
    const own = { bk_classification_id: 'storage' }
    const taken: [string, object][] = [
      ['/object/classification', { ...own, bk_classification_name: 'Storage' }],
      ['/object', { ...own, bk_obj_id: 'rack', bk_obj_name: 'Rack' }],
      ['/object/attr', { ...attribute, bk_property_id: 'colour', bk_property_name: 'Colour' }],
    ]
    for (const [path, body] of taken) expect(await server.call('POST', path, body)).toMatchObject({ result: true })
  })
  afterAll(() => server.close())
  /** All rows of the model, in any order. */
  const model = async () => {
    const { read } = server.service.storage
    const tables = ['account', 'classification', 'object', 'attribute_group', 'attribute'] as const
    const rows = await Promise.all(tables.map((table) => read.selectFrom(table).selectAll().execute()))
    return rows.map((each) => each.map((row) => JSON.stringify(row)).toSorted())
  }

  it.each(creations)('refuses %s (%i)', async (_, code, saying, path, body, headers) => {
    const before = await model()
    await refuses(server, code, saying, () => server.call('POST', path, body, headers))
    expect(await model()).toEqual(before)
  })
})

it('if identifiers may contain underscores, names of resources without an object are reserved, too', async () => {
  const server = await startServer('sqlite', { flags: ['--compat=bk-cmdb'] })
  const make = (bk_obj_id: string) =>
    server.call('POST', '/object', { ...object, bk_obj_id, bk_supplier_account: '0', creator: 'admin' })
  for (const word of ['host_relation', 'host_identifier', 'moduletransfer', 'hostidentifier', 'customquery']) {
    expect(await make(word), word).toMatchObject({ result: false, bk_error_code: 1199006 })
  }
  expect(await make('host_rack')).toMatchObject({ result: true })
  await server.close()
})
