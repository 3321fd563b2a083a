// Every name refuses white space alone, and keeps surrounding blanks as sent.
import { expect, it } from 'vitest'
import { setBody } from '../../packages/server/src/testing/data/factories.ts'
import { makeShop, type Shop } from '../../packages/server/src/testing/data/hosts.ts'
import { infoOf } from '../../packages/server/src/testing/data/queries.ts'
import { subscriptionBody } from '../../packages/server/src/testing/data/subscriptions.ts'
import { importFile } from '../../packages/server/src/testing/data/transfer.ts'
import type { Answer, TestServer } from '../../packages/server/src/testing/harness.ts'
import { eachService } from './services.ts'

const blanks = {
  nothing: '',
  space: ' ',
  'tab and line break': '\t\r\n',
  'next line': '\u0085',
  'no-break space': '\u00a0',
  'ogham space': '\u1680',
  'em space': '\u2003',
  'line and paragraph separators': '\u2028\u2029',
  'narrow no-break space': '\u202f',
  'ideographic space': '\u3000',
  'byte order mark': '\ufeff',
  'several of them': ' \u00a0\u2003\u3000\t',
}
const padded = (word: string) => `\u3000 ${word} \u00a0`

type Requests = readonly [method: string, path: string, body: (name: string) => unknown]
interface Named {
  readonly field: string
  readonly create: Requests
  /** The path, from the answer to the creation or from a record found by `find`. */
  readonly update?: readonly [
    method: string,
    path: (made: Record<string, unknown>) => string,
    body: (name: string, made?: Record<string, unknown>) => unknown,
  ]
  /** The stored name: that of a record found by a search. */
  readonly find: readonly [method: string, path: string, body?: unknown]
  /** Operations in which an empty name in an update keeps the stored one, as the contract says. */
  readonly emptyStays?: true
}

const page = { start: 0, limit: 200 }
const search = { page, fields: [], condition: {} }

function everythingNamed({ business, set }: Shop): Record<string, Named> {
  const ofModel = { bk_classification_id: 'bk_network' }
  const choice = (name: string) => ({ option: [{ id: '1', name, type: 'text', is_default: false }] })
  const attribute = { bk_obj_id: 'set', bk_property_type: 'singlechar' }
  const letters = () => Array.from({ length: 12 }, () => 'abcdefghij'[Math.floor(Math.random() * 10)]).join('')
  return {
    business: {
      field: 'bk_biz_name',
      create: ['POST', '/biz/0', (name) => ({ bk_biz_name: name, bk_biz_maintainer: 'amy' })],
      update: ['PUT', ({ bk_biz_id }) => `/biz/0/${bk_biz_id}`, (name) => ({ bk_biz_name: name })],
      find: ['POST', '/biz/search/0', search],
    },
    set: {
      field: 'bk_set_name',
      create: ['POST', `/set/${business}`, (name) => setBody(business, { bk_set_name: name })],
      update: [
        'PUT',
        ({ bk_set_id }) => `/set/${business}/${bk_set_id}`,
        (name) => ({ bk_biz_id: business, bk_set_name: name }),
      ],
      find: ['POST', `/set/search/0/${business}`, search],
    },
    module: {
      field: 'bk_module_name',
      create: ['POST', `/module/${business}/${set}`, (name) => ({ bk_module_name: name })],
      update: [
        'PUT',
        ({ bk_module_id }) => `/module/${business}/${set}/${bk_module_id}`,
        (name) => ({ bk_module_name: name }),
      ],
      find: ['POST', `/module/search/0/${business}/${set}`, search],
    },
    'instance of an object': {
      field: 'bk_inst_name',
      create: ['POST', '/inst/0/bk_switch', (name) => ({ bk_inst_name: name })],
      update: ['PUT', ({ bk_inst_id }) => `/inst/0/bk_switch/${bk_inst_id}`, (name) => ({ bk_inst_name: name })],
      find: ['POST', '/inst/search/owner/0/object/bk_switch', search],
    },
    'cloud area': {
      field: 'bk_cloud_name',
      create: ['POST', '/inst/0/plat', (name) => ({ bk_cloud_name: name })],
      update: ['PUT', ({ bk_inst_id }) => `/inst/0/plat/${bk_inst_id}`, (name) => ({ bk_cloud_name: name })],
      find: ['POST', '/inst/search/owner/0/object/plat', search],
    },
    classification: {
      field: 'bk_classification_name',
      create: [
        'POST',
        '/object/classification',
        (name) => ({ bk_classification_id: letters(), bk_classification_name: name }),
      ],
      update: ['PUT', ({ id }) => `/object/classification/${id}`, (name) => ({ bk_classification_name: name })],
      find: ['POST', '/object/classifications', {}],
    },
    object: {
      field: 'bk_obj_name',
      create: ['POST', '/object', (name) => ({ ...ofModel, bk_obj_id: letters(), bk_obj_name: name })],
      update: ['PUT', ({ id }) => `/object/${id}`, (name) => ({ bk_obj_name: name })],
      find: ['POST', '/objects', {}],
    },
    attribute: {
      field: 'bk_property_name',
      create: ['POST', '/object/attr', (name) => ({ ...attribute, bk_property_id: letters(), bk_property_name: name })],
      update: ['PUT', ({ id }) => `/object/attr/${id}`, (name) => ({ bk_property_name: name })],
      find: ['POST', '/object/attr/search', { bk_obj_id: 'set' }],
    },
    'choice of an enum': {
      field: 'option.0.name',
      create: [
        'POST',
        '/object/attr',
        (name) => {
          const id = letters()
          return {
            bk_obj_id: 'module',
            bk_property_type: 'enum',
            bk_property_id: id,
            bk_property_name: id,
            ...choice(name),
          }
        },
      ],
      update: ['PUT', ({ id }) => `/object/attr/${id}`, choice],
      find: ['POST', '/object/attr/search', { bk_obj_id: 'module' }],
    },
    'group of attributes': {
      field: 'bk_group_name',
      create: [
        'POST',
        '/objectatt/group/new',
        (name) => ({ bk_obj_id: 'set', bk_group_id: letters(), bk_group_name: name }),
      ],
      update: [
        'PUT',
        () => '/objectatt/group/update',
        (name, { id } = {}) => ({ condition: { id }, data: { bk_group_name: name } }),
      ],
      find: ['POST', '/objectatt/group/property/owner/0/object/set', {}],
    },
    'saved query': {
      field: 'name',
      create: ['POST', '/userapi', (name) => ({ bk_biz_id: business, info: infoOf(), name })],
      update: ['PUT', ({ id }) => `/userapi/${business}/${id}`, (name) => ({ name })],
      find: ['POST', `/userapi/search/${business}`, { limit: 200 }],
      emptyStays: true,
    },
    'user group': {
      field: 'group_name',
      create: ['POST', '/topo/privilege/group/0', (name) => ({ group_name: name, user_list: 'amy' })],
      update: ['PUT', ({ group_id }) => `/topo/privilege/group/0/${group_id}`, (name) => ({ group_name: name })],
      find: ['POST', '/topo/privilege/group/0/search', {}],
    },
    subscription: {
      field: 'subscription_name',
      create: [
        'POST',
        '/event/subscribe/0/0',
        (name) => subscriptionBody('http://127.0.0.1:9/', { subscription_name: name }),
      ],
      update: [
        'PUT',
        ({ subscription_id }) => `/event/subscribe/0/0/${subscription_id}`,
        (name) => subscriptionBody('http://127.0.0.1:9/', { subscription_name: name }),
      ],
      find: ['POST', '/event/subscribe/search/0/0', {}],
    },
    favourite: {
      field: 'name',
      create: ['POST', '/hosts/favorites', (name) => ({ name })],
      update: ['PUT', ({ id }) => `/hosts/favorites/${id}`, (name) => ({ name })],
      find: ['POST', '/hosts/favorites/search', {}],
    },
    // Last, because anything created directly under the business afterwards would have to be under the level.
    level: {
      field: 'bk_obj_name',
      create: [
        'POST',
        '/topo/model/mainline',
        (name) => ({
          bk_obj_id: letters(),
          bk_obj_name: name,
          bk_asst_obj_id: 'biz',
          bk_classification_id: 'bk_biz_topo',
        }),
      ],
      find: ['POST', '/objects', {}],
    },
  }
}

type Rows = Record<string, unknown>[]
const rowsIn = (data: unknown): Rows => (Array.isArray(data) ? data : ((data as { info?: Rows })?.info ?? []))

async function found(server: TestServer, { find }: Named, name: string): Promise<Record<string, unknown> | undefined> {
  const [method, path, body] = find
  return rowsIn((await server.call(method, path, body)).data).find((row) => JSON.stringify(row).includes(name))
}

const refused = (answer: Answer, { field }: Named) => {
  expect(answer).toMatchObject({ result: false, bk_error_code: 1199010, data: null })
  expect(answer.bk_error_msg).toContain(field)
}

eachService(makeShop, (world) => {
  it('names of white space alone are refused, others are stored as sent', async () => {
    const { server, ...shop } = world()
    for (const [kind, named] of Object.entries(everythingNamed(shop))) {
      const [method, path, body] = named.create
      for (const [what, blank] of Object.entries(blanks)) {
        refused(await server.call(method, path, body(blank)), named)
        expect(what).not.toBe('')
      }
      const name = padded(kind.slice(0, 8))
      const made = await server.call<Record<string, unknown>>(method, path, body(name))
      expect([kind, made.bk_error_msg, made.result]).toEqual([kind, made.bk_error_msg, true])
      const stored = await found(server, named, name)
      expect(stored, `${kind} ${JSON.stringify(name)}`).toBeDefined()
      if (!named.update) continue
      const [change, pathOf, changed] = named.update
      const record = { ...stored, ...(made.data ?? {}) }
      const target = pathOf(record)
      for (const blank of Object.values(blanks)) {
        if (blank === '' && named.emptyStays) continue
        refused(await server.call(change, target, changed(blank, record)), named)
      }
      expect(await found(server, named, name), kind).toBeDefined()
    }
  })

  it('an instance of a level, too', async () => {
    const { server, business } = world()
    const id = 'tier'
    await server.call('POST', '/topo/model/mainline', {
      ...{ bk_obj_id: id, bk_obj_name: id, bk_asst_obj_id: 'biz', bk_classification_id: 'bk_biz_topo' },
    })
    const body = (name: string) => ({ bk_inst_name: name, bk_biz_id: business, bk_parent_id: business })
    const named = { field: 'bk_inst_name' } as Named
    for (const blank of Object.values(blanks)) refused(await server.call('POST', `/inst/0/${id}`, body(blank)), named)
    const made = await server.call<{ bk_inst_id: number; bk_inst_name: string }>(
      ...(['POST', `/inst/0/${id}`, body(padded('east'))] as const),
    )
    expect(made.data.bk_inst_name).toBe(padded('east'))
    for (const blank of Object.values(blanks)) {
      refused(await server.call('PUT', `/inst/0/${id}/${made.data.bk_inst_id}`, { bk_inst_name: blank }), named)
    }
  })

  it('accounts, wherever they are named, and users', async () => {
    const { server } = world()
    const account = { field: 'bk_supplier_account' } as Named
    const level = { bk_obj_id: 'zone', bk_obj_name: 'zone', bk_asst_obj_id: 'biz', bk_classification_id: 'bk_biz_topo' }
    // Control characters are refused as such: an account must be printable.
    for (const blank of Object.values(blanks).filter((each) => /^\P{Cc}+$/u.test(each))) {
      refused(await server.call('POST', `/biz/search/${encodeURIComponent(blank)}`, {}), account)
      refused(await server.call('POST', '/topo/model/mainline', { ...level, bk_supplier_account: blank }), account)
    }
    for (const field of ['BK_User', 'HTTP_BK_SUPPLIER_ACCOUNT', 'HTTP_BLUEKING_SUPPLIER_ID']) {
      const sent = { [field]: Buffer.from(blanks['ideographic space']).toString('latin1') }
      refused(await server.call('POST', '/biz/search/0', {}, sent), { field } as Named)
    }
    const users = { group_name: 'stranger', user_list: blanks['several of them'] }
    refused(await server.call('POST', '/topo/privilege/group/0', users), { field: 'user_list' } as Named)
  })

  it('names in imported files', async () => {
    const { server } = world()
    const shop = 'Shop of files'
    await server.call('POST', '/biz/0', { bk_biz_name: shop, bk_biz_maintainer: 'amy' })
    const { subscription_form: _, ...subscription } = subscriptionBody('http://127.0.0.1:9/')
    const described = { type: 'int', group: 'default', option: '', unit: '', placeholder: '' }
    const lines = (name: string) => [
      { is: 'classification', id: 'furniture', name, icon: 'icon-cc-default' },
      { is: 'object', id: 'chair', name, icon: '', classification: 'bk_network', above: null },
      { is: 'attribute_group', object: 'biz', id: 'costs', name, index: 7 },
      { is: 'attribute', object: 'biz', id: 'cost', name, ...described, editable: true, searchable: false },
      { is: 'instance', object: 'bk_switch', name, attributes: {} },
      { is: 'business', name, attributes: { bk_biz_maintainer: 'amy' } },
      { is: 'node', business: shop, path: [name], attributes: {} },
      { is: 'query', business: shop, name, info: infoOf() },
      { is: 'group', name, users: 'amy', gives: { global_busi: [], back_config: [], model_config: {} } },
      { is: 'subscription', name, business: '', ...subscription, events: ['setcreate'], queries: [] },
    ]
    for (const blank of Object.values(blanks)) {
      const file = [{ is: 'estate', version: 1 }, ...lines(blank)].map((line) => JSON.stringify(line)).join('\n')
      const sent = ['estate/0', file, 'dry_run=true', { 'content-type': 'application/x-ndjson' }] as const
      const { lines: rows } = await importFile(server.url, ...sent)
      const unnamed = [1199010, expect.stringMatching(/^'(\w*name|path\.0)' /)]
      expect(rows.slice(1).map(({ code, why }) => [code, why])).toEqual(lines(blank).map(() => unnamed))
    }
  })
})
