import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { EventCondition, type FeedEvent } from '../areas/events/feed/index.ts'
import { type Model, modelOf, type ObjectModel, objectOf } from '../areas/model/index.ts'
import { shownName } from '../areas/topology/nodes/built-in.ts'
import { fieldsOf } from '../areas/topology/nodes/fields.ts'
import { type Node, selectNodes } from '../areas/topology/nodes/nodes.ts'
import { showNode, storedValue } from '../areas/topology/nodes/record.ts'
import { inBusiness, searchNodes } from '../areas/topology/nodes/search.ts'
import { zoneOf } from '../common/time.ts'
import { system } from '../service.ts'
import { makeBusiness } from '../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../testing/harness.ts'
import { conditions, float, type NewRow, patterns, rows, text, unwieldy } from '../testing/random/arbitraries.ts'
import { compile, type Place } from './compile.ts'
import { type Condition, type Fields, isStoredAsText } from './condition.ts'
import { compareText, meets } from './evaluate.ts'
import { parseCondition } from './parse.ts'

const zone = zoneOf('Asia/Shanghai')
/** Shrinking inserts rows repeatedly, so it is limited in time and reports the best result so far. */
const bounded = { interruptAfterTimeLimit: 60_000 }

/** User-defined attributes of every type that is compared differently. */
const defined = {
  ...{ note: 'singlechar', people: 'longchar', day: 'date', moment: 'time', clock: 'timezone' },
  ...{ amount: 'int', ratio: 'float', open: 'bool' },
}

it('compares texts by code point, like the bytes of UTF-8', () => {
  const bytes = (left: string, right: string) => Math.sign(Buffer.compare(Buffer.from(left), Buffer.from(right)))
  fc.assert(fc.property(text, text, (a, b) => Math.sign(compareText(a, b)) === bytes(a, b)))
})

eachEngine((engine) => {
  let server: TestServer
  let model: Model
  let set: ObjectModel
  let fields: Fields
  let business: number
  let bizId: number
  beforeAll(async () => {
    server = await startServer(engine)
    bizId = await makeBusiness(server)
    await defineAttributes()
    const { read } = server.service.storage
    model = await modelOf(read, '0')
    set = objectOf(model, 'set')
    // Sets have no list of users; businesses do.
    fields = new Map([...fieldsOf(set), ['people', { type: 'text', at: { attribute: 'people' }, isList: true }]])
    const found = await read.selectFrom('business').select('node').where('biz_id', '=', bizId).executeTakeFirstOrThrow()
    business = found.node
  })
  afterAll(() => server.close())

  const change = (work: Parameters<TestServer['service']['storage']['change']>[1]) =>
    server.service.storage.change(system('0'), work)

  const defineAttributes = () =>
    change(async (tx) => {
      const common = { account: '0', object_id: 'set', group_id: 'default', options: '', unit: '', placeholder: '' }
      const flags = { required: 0, editable: 1, preset: 0, creator: 'amy', create_time: tx.now, last_time: tx.now }
      const attributes = Object.entries(defined).map(([id, type], index) => {
        return { ...common, ...flags, attribute_id: id, name: id, type, position: 100 + index }
      })
      await tx.insertInto('attribute').values(attributes).execute()
      await tx
        .updateTable('account')
        .set((eb) => ({ model_version: eb('model_version', '+', 1) }))
        .where('name', '=', '0')
        .execute()
    })

  /** Replaces all sets of the business, the built-in one too, and returns the stored rows. */
  async function store(created: readonly NewRow[]): Promise<Node[]> {
    await change(async (tx) => {
      await tx.deleteFrom('node').where('business', '=', business).where('object_id', '=', 'module').execute()
      await tx.deleteFrom('node').where('business', '=', business).execute()
      const ids = await tx.drawIds('set', created.length)
      const place = { account: '0', object_id: 'set', business, biz_id: bizId, parent: business, parent_id: bizId }
      const nodes = created.map((row, index) => {
        const id = ids[index] ?? 0
        return { ...place, ...row, inst_id: id, name_key: String(id), attributes: JSON.stringify(row.attributes) }
      })
      await tx.insertInto('node').values(nodes).execute()
    })
    return selectNodes(server.service.storage.read, 'set').where(inBusiness(business)).orderBy('node.inst_id').execute()
  }

  const meeting = (nodes: readonly Node[], condition: Condition, of: Fields) =>
    nodes.filter((node) => meets({ builtIn: node.built_in, value: storedValue(set, node) }, condition, of)).map(idOf)

  async function selected(condition: Condition): Promise<number[]> {
    const { read } = server.service.storage
    const place: Place = { table: 'node', fields, dialect: read.dialect }
    const query = selectNodes(read, 'set').where(inBusiness(business)).where(compile(condition, place))
    return (await query.orderBy('node.inst_id').execute()).map(idOf)
  }

  it('selects in SQL exactly the rows that match in memory', async () => {
    await fc.assert(
      fc.asyncProperty(rows, fc.array(conditions, { minLength: 40, maxLength: 60 }), async (created, inputs) => {
        const nodes = await store(created)
        for (const { input, text } of inputs) {
          const condition = parseCondition(input, { fields, zone, text })
          expect(await selected(condition), JSON.stringify(input)).toEqual(meeting(nodes, condition, fields))
        }
      }),
      { ...bounded, numRuns: 12 },
    )
  })

  it('finds a number by its value, of any size, alone and in a list', async () => {
    const numbers = fc.uniqueArray(float, { minLength: 5, maxLength: 20, comparator: 'IsStrictlyEqual' })
    const common = { name: '', built_in: 0, creator: '', create_time: 0, last_time: 0 }
    await fc.assert(
      fc.asyncProperty(numbers, async (ratios) => {
        const ids = (await store(ratios.map((ratio) => ({ ...common, attributes: { ratio } })))).map(idOf)
        const found = (ratio: unknown) => selected(parseCondition({ ratio }, { fields, zone, text: 'whole' }))
        for (const [index, ratio] of ratios.entries()) expect(await found(ratio), `${ratio}`).toEqual([ids[index]])
        expect(await found({ $in: ratios })).toEqual(ids)
        expect(await found({ $nin: ratios.map(String) })).toEqual([])
      }),
      { ...bounded, numRuns: 5, examples: [[unwieldy]] },
    )
  })

  it('accepts as the filter of events exactly the rows that it selects in SQL, before and after a change', async () => {
    const shown = (node: Node) => showNode(set, node, { language: 'en', zone })
    const matches = (input: unknown, side: 'before' | 'after', node: Node) => {
      const other =
        side === 'before' ? { cur_data: null, pre_data: shown(node) } : { cur_data: shown(node), pre_data: null }
      const event = { name: 'setupdate', objType: 'set', data: [other] } as unknown as FeedEvent
      const filter = JSON.stringify(prefixed(input, `${side}.`))
      return new EventCondition(filter, { kinds: ['biz', 'set'], zone }).at(model).matches(event)
    }
    await fc.assert(
      fc.asyncProperty(rows, fc.array(conditions, { minLength: 40, maxLength: 60 }), async (created, inputs) => {
        // Events show the name that a built-in set has in English, whatever is stored.
        const nodes = await store(
          created.map((row) => ({ ...row, name: shownName('set', row.built_in, row.name, 'en') })),
        )
        for (const { input } of inputs) {
          const found = await selected(parseCondition(input, { fields: fieldsOf(set), zone, text: 'whole' }))
          for (const side of ['before', 'after'] as const) {
            const accepted = nodes.filter((node) => matches(input, side, node)).map(idOf)
            expect(accepted, `${side} ${JSON.stringify(input)}`).toEqual(found)
          }
        }
      }),
      { ...bounded, numRuns: 6 },
    )
  })

  it('finds with patterns exactly the rows that match in memory, page by page', async () => {
    const page = fc.record({ start: fc.nat(5), limit: fc.integer({ min: 1, max: 200 }) })
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.array(fc.tuple(patterns, page), { minLength: 20, maxLength: 30 }),
        async (created, asked) => {
          const nodes = await store(created)
          for (const [{ input, text }, page] of asked) {
            const condition = parseCondition(input, { fields: fieldsOf(set), zone, text })
            const scope = inBusiness(business)
            const found = await searchNodes(server.service.storage, { object: set, scope, condition, page })
            const expected = meeting(nodes, condition, fieldsOf(set))
            expect(found.count, JSON.stringify(input)).toBe(expected.length)
            expect(found.nodes.map(idOf)).toEqual(expected.slice(page.start, page.start + page.limit))
          }
        },
      ),
      { ...bounded, numRuns: 6 },
    )
  })

  it('sorts by every kind of field as in memory, unset first, and ties by id', async () => {
    const sorted = ['bk_set_name', 'bk_set_id', 'create_time', ...Object.keys(defined)]
    await fc.assert(
      fc.asyncProperty(rows, async (created) => {
        const nodes = await store(created)
        for (const field of sorted) {
          const inOrder = nodes.toSorted((a, b) => inMemory(typedValue(a, field), typedValue(b, field)))
          expect(await sortedBy(field), field).toEqual(inOrder.map(idOf))
          const reversed = nodes.toSorted((a, b) => inMemory(typedValue(b, field), typedValue(a, field)))
          expect(await sortedBy(`-${field}`), `-${field}`).toEqual(reversed.map(idOf))
        }
      }),
      { ...bounded, numRuns: 6 },
    )
  })

  async function sortedBy(sort: string): Promise<number[]> {
    const page = { start: 0, limit: 200, sort }
    const everything = { object: set, scope: inBusiness(business), condition: { all: [] }, page }
    return (await searchNodes(server.service.storage, everything)).nodes.map(idOf)
  }

  /** A value of the field's type, null without one. */
  function typedValue(node: Node, field: string): string | number | null {
    const value = storedValue(set, node)(field)
    const type = fieldsOf(set).get(field)?.type
    if (type !== undefined && isStoredAsText(type)) return typeof value === 'string' ? value : ''
    if (type === 'boolean') return typeof value === 'boolean' ? Number(value) : null
    return typeof value === 'number' ? value : null
  }
})

const idOf = (node: Node) => node.inst_id

/** The same condition over fields with a prefix. */
function prefixed(input: unknown, prefix: string): unknown {
  const entries = Object.entries(input as Record<string, unknown>).map(([name, value]) =>
    Array.isArray(value) && name.startsWith('$')
      ? [name, value.map((each) => prefixed(each, prefix))]
      : [prefix + name, value],
  )
  return Object.fromEntries(entries)
}

function inMemory(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  return typeof a === 'string' ? compareText(a, String(b)) : a - Number(b)
}
