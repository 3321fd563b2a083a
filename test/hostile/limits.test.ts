import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertMany, type Tables } from '../../packages/server/src/storage/index.ts'
import { makeBusiness } from '../../packages/server/src/testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../packages/server/src/testing/harness.ts'

interface Limited {
  readonly what: string
  readonly limit: number
  readonly table: keyof Tables
  /** Columns in which rows differ besides their id. */
  readonly names: readonly string[]
  /** The type of ids that the database does not generate. */
  readonly ids?: 'text' | 'number'
  readonly path: string
  body(name: string, business: number): Record<string, unknown>
}

const limited: Limited[] = [
  {
    what: 'subscriptions',
    limit: 1_000,
    table: 'subscription',
    names: ['name'],
    ids: 'number',
    path: '/event/subscribe/0/0',
    body: (name) => ({
      ...{ subscription_name: name, system_name: 'limits', callback_url: 'http://127.0.0.1:9/' },
      ...{ confirm_mode: 'httpstatus', confirm_pattern: '200', timeout: 10, subscription_form: 'setcreate' },
    }),
  },
  {
    what: 'custom queries',
    limit: 5_000,
    table: 'custom_query',
    names: ['name'],
    ids: 'text',
    path: '/userapi',
    body: (name, business) => ({ bk_biz_id: business, name, info: '{"condition":[]}' }),
  },
  {
    what: 'user groups',
    limit: 1_000,
    table: 'user_group',
    names: ['name', 'group_id'],
    path: '/topo/privilege/group/0',
    body: (name) => ({ group_name: name, user_list: 'amy' }),
  },
  {
    what: 'classifications',
    limit: 200,
    table: 'classification',
    names: ['name', 'classification_id'],
    path: '/object/classification',
    body: (name) => ({ bk_classification_id: name, bk_classification_name: name }),
  },
  {
    what: 'attribute groups',
    limit: 200,
    table: 'attribute_group',
    names: ['name', 'group_id'],
    path: '/objectatt/group/new',
    body: (name) => ({ bk_obj_id: 'bk_switch', bk_group_id: name, bk_group_name: name }),
  },
  {
    what: 'attributes',
    limit: 500,
    table: 'attribute',
    names: ['name', 'attribute_id'],
    path: '/object/attr',
    body: (name) => ({
      ...{ bk_obj_id: 'bk_switch', bk_property_id: name, bk_property_name: name },
      bk_property_type: 'singlechar',
    }),
  },
  {
    what: 'objects',
    limit: 500,
    table: 'object',
    names: ['name', 'object_id'],
    path: '/object',
    body: (name) => ({ bk_classification_id: 'bk_network', bk_obj_id: name, bk_obj_name: name }),
  },
  {
    what: 'association kinds',
    limit: 200,
    table: 'association_kind',
    names: ['name', 'kind'],
    ids: 'number',
    path: '/topo/association/type/action/create',
    body: (name) => ({ bk_asst_id: name, bk_asst_name: name }),
  },
  {
    what: 'associations of objects',
    limit: 1_000,
    table: 'object_association',
    names: ['name', 'association_id', 'kind'],
    ids: 'number',
    path: '/object/association/action/create',
    body: (name) => ({
      ...{ bk_obj_asst_id: name, bk_obj_asst_name: name, bk_asst_id: 'connect' },
      ...{ bk_obj_id: 'bk_switch', bk_asst_obj_id: name === 'original' ? 'host' : 'set' },
    }),
  },
]

/** In letters, as identifiers are spelled. */
const letters = (nth: number) => `copy${String(nth).replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')}`

describe('everything that makes each request or event more expensive is limited', () => {
  eachEngine((engine) => {
    let server: TestServer
    let business: number
    beforeAll(async () => {
      server = await startServer(engine)
      business = await makeBusiness(server, 'limits')
    })
    afterAll(() => server?.close())

    it.each(limited)('$what: $limit', async (kind) => {
      const create = (name: string) => server.call('POST', kind.path, kind.body(name, business))
      expect(await create('original')).toMatchObject({ result: true })
      await fill(kind)
      const before = await rowsOf(kind)
      expect(await create('onemore')).toMatchObject({
        ...{ result: false, bk_error_code: 1199035 },
        bk_error_msg: expect.stringContaining(`${kind.what} exceed the limit ${kind.limit}`),
      })
      expect(await rowsOf(kind)).toBe(before)
      // Deleting one makes room for another.
      await removeOne(kind)
      expect(await create('onemore')).toMatchObject({ result: true })
    })

    /** Copies the created row up to the limit. */
    async function fill({ table, names, ids, limit }: Limited): Promise<void> {
      await server.service.storage.upkeep(async (writer) => {
        const all = await writer.selectFrom(table).selectAll().execute()
        const original = all.find((row) => 'name' in row && row.name === 'original') as Record<string, unknown>
        const counted = all.filter((row) => isBeside(row as Record<string, unknown>, original))
        const largest = Math.max(...all.map((row) => Number('id' in row ? row.id : 0)))
        const rows = Array.from({ length: limit - counted.length }, (_, nth) => ({
          ...original,
          ...Object.fromEntries(names.map((name) => [name, letters(nth)])),
          ...('above' in original && { above: null }),
          id: ids === 'text' ? letters(nth).padEnd(20, '0') : largest + 1_000 + nth,
        }))
        await insertMany(writer, table, (ids ? rows : rows.map(({ id: _, ...row }) => row)) as never)
      })
    }

    /** Whether it counts towards the same limit. */
    const isBeside = (row: Record<string, unknown>, original: Record<string, unknown>): boolean =>
      !('position' in original) || row.object_id === original.object_id

    async function rowsOf({ table }: Limited): Promise<number> {
      return (await server.service.storage.read.selectFrom(table).selectAll().execute()).length
    }

    const removeOne = ({ table }: Limited) =>
      server.service.storage.upkeep((writer) =>
        writer
          .deleteFrom(table)
          .where('name' as never, '=', letters(0) as never)
          .execute(),
      )
  })
})
