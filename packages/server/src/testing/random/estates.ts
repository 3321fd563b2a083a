// Generated estates of the property test of queries, created through the API, and kept as plain records, too.
import fc from 'fast-check'
import { findSets, makeBusiness, makeSet } from '../data/factories.ts'
import { makeHosts, readHost } from '../data/hosts.ts'
import { findInstances, findModules, makeInstance, makeModule, putLevel } from '../data/levels.ts'
import type { TestServer } from '../harness.ts'
import { putAttribute } from '../inspect/rows.ts'

export type Values = Record<string, unknown>
/** How a field is compared. */
export type Compared = 'text' | 'list' | 'word' | 'day' | 'time' | 'number' | 'flag'

/** Filterable fields by kind: preset and user-defined ones, of every type. */
export const filterable: Record<'biz' | 'set' | 'module' | 'host' | 'zone' | 'region', Record<string, Compared>> = {
  biz: { bk_biz_id: 'number', bk_biz_name: 'text', bk_biz_maintainer: 'list', life_cycle: 'word' },
  set: { bk_set_id: 'number', bk_set_name: 'text', bk_set_env: 'word', bk_capacity: 'number', default: 'number' },
  module: { bk_module_id: 'number', bk_module_name: 'text', bk_module_type: 'word', weight: 'number' },
  zone: { bk_inst_id: 'number', bk_inst_name: 'text', grade: 'number' },
  region: { bk_inst_id: 'number', bk_inst_name: 'text', note: 'text' },
  host: {
    ...{ bk_host_id: 'number', bk_host_name: 'text', bk_os_type: 'word', operator: 'list', bk_mem: 'number' },
    ...{ note: 'text', story: 'text', people: 'list', choice: 'word', day: 'day', moment: 'time', clock: 'word' },
    ...{ amount: 'number', ratio: 'number', open: 'flag' },
  },
}

const own = { note: 'singlechar', story: 'longchar', people: 'objuser', day: 'date', moment: 'time', clock: 'timezone' }
const counted = { amount: 'int', ratio: 'float', open: 'bool' }
const choices = ['x', 'y'].map((id) => ({ id, name: id, type: 'text', is_default: false }))

/** Two levels, and user-defined attributes on every object. */
export async function defineModel(server: TestServer): Promise<void> {
  await putLevel(server, 'zone')
  await putLevel(server, 'region', 'zone')
  for (const [attribute_id, type] of Object.entries({ ...own, ...counted })) {
    await putAttribute(server, 'host', { attribute_id, type })
  }
  await putAttribute(server, 'host', { attribute_id: 'choice', type: 'enum', options: JSON.stringify(choices) })
  await putAttribute(server, 'module', { attribute_id: 'weight', type: 'int' })
  await putAttribute(server, 'zone', { attribute_id: 'grade', type: 'int' })
  await putAttribute(server, 'region', { attribute_id: 'note', type: 'singlechar' })
}

export const word = fc.constantFrom('a', 'ab', 'b', 'A', 'é', '池', '😀', '\ufffd', '%', '_', "o'neil", '1', 'x', 'web')
export const number = fc.constantFrom(-1, 0, 1, 2, 3, 10, 1_000_000)
export const user = fc.constantFrom('amy', 'bob', 'am', '李雷')
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 })
const people = fc.uniqueArray(user, { maxLength: 3 }).map((names) => names.join(','))
export const day = fc.constantFrom('2026-01-30', '2026-01-31', '2025-12-31')
/** Some of them denote the same moment: the service's zone is UTC. */
export const time = fc.constantFrom(
  ...['2026-01-30 08:00:00', '2026-01-31T08:00:00Z', '2026-01-31 16:00:00.500+08:00', '2025-12-31T23:59:59'],
  ...['2025-12-31T18:59:59.123456-05:00', '2026-01-31 07:59:59', '2026-01-01T01:00:00+0800'],
)

const host = fc.record({
  modules: fc.uniqueArray(fc.nat(11), { maxLength: 3 }),
  attributes: fc.record({
    ...{ bk_host_name: maybe(word), bk_os_type: maybe(fc.constantFrom('1', '2')), bk_mem: maybe(number) },
    ...{ operator: maybe(people), note: maybe(word), story: maybe(word), people: maybe(people) },
    ...{
      choice: maybe(fc.constantFrom('x', 'y')),
      day: maybe(day),
      moment: maybe(time),
    },
    ...{ clock: maybe(fc.constantFrom('UTC', 'Asia/Shanghai')), amount: maybe(number), open: maybe(fc.boolean()) },
    ratio: maybe(fc.constantFrom(0.1, 0.5, -2.5, 1e15, 3)),
  }),
})

/** Zones, regions, sets and modules each have up to two children; only names and numbers are generated. */
export const drawn = fc.record({
  zones: fc.array(fc.record({ grade: maybe(number) }), { minLength: 1, maxLength: 2 }),
  regions: fc.array(fc.record({ zone: fc.nat(1), note: maybe(word) }), { minLength: 2, maxLength: 3 }),
  sets: fc.array(
    fc.record({ region: fc.nat(2), env: fc.constantFrom('1', '2', '3'), capacity: maybe(fc.constantFrom(1, 2, 10)) }),
    { minLength: 3, maxLength: 4 },
  ),
  modules: fc.array(fc.record({ set: fc.nat(3), name: word, type: fc.constantFrom('1', '2'), weight: maybe(number) }), {
    minLength: 6,
    maxLength: 9,
  }),
  hosts: fc.array(host, { minLength: 16, maxLength: 24 }),
})
export type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never

export interface Spot {
  module: Values
  set: Values
  /** The instances of levels above the set, by object. */
  levels: Record<string, Values>
}
export interface Estate {
  business: Values
  hosts: { record: Values; spots: Spot[] }[]
}

const pick = <T>(list: readonly T[], index: number) => list[index % list.length] as T

/** Creates it as a business, and reads back all of its records. */
export async function buildEstate(server: TestServer, plan: Drawn): Promise<Estate> {
  const business = await makeBusiness(server)
  const zones: number[] = []
  for (const [index, { grade }] of plan.zones.entries()) {
    const place = { bk_biz_id: business, bk_parent_id: business }
    zones.push(await makeInstance(server, 'zone', { ...place, bk_inst_name: pick(['a', 'z'], index), grade }))
  }
  const regions: number[] = []
  for (const [index, { zone, note }] of plan.regions.entries()) {
    const place = { bk_biz_id: business, bk_parent_id: pick(zones, zone) }
    regions.push(await makeInstance(server, 'region', { ...place, bk_inst_name: pick(['a', 'ab', 'r'], index), note }))
  }
  const sets: number[] = []
  for (const [index, { region, env, capacity }] of plan.sets.entries()) {
    const values = { bk_set_name: pick(['a', 'b', '池', '1'], index), bk_set_env: env, bk_capacity: capacity }
    sets.push(await makeSet(server, business, { bk_parent_id: pick(regions, region), ...values }))
  }
  const modules: number[] = []
  for (const { set, name, ...rest } of plan.modules) {
    const body = { bk_module_name: name, bk_module_type: rest.type, weight: rest.weight }
    const inSet = pick(sets, set)
    const made = await server.call<{ bk_module_id: number }>('POST', `/module/${business}/${inSet}`, body)
    // A duplicate name is replaced.
    modules.push(made.result ? made.data.bk_module_id : await makeModule(server, business, inSet, `${modules.length}`))
  }
  const places = plan.hosts.map((each) => [...new Set(each.modules.map((index) => pick(modules, index)))])
  const ids: number[] = []
  for (const [index, { attributes }] of plan.hosts.entries()) {
    const into = places[index] as number[]
    ids.push(...(await makeHosts(server, into.length > 0 ? { business, modules: into } : { business }, [attributes])))
  }
  return readEstate(server, business, ids, places)
}

async function readEstate(server: TestServer, business: number, ids: number[], places: number[][]): Promise<Estate> {
  type Page = { info: Values[] }
  const biz = await server.call<Page>('POST', '/biz/search/0', { condition: { bk_biz_id: business } })
  const { info: sets } = (await findSets(server, business)).data
  const [zones, regions] = [await findInstances(server, 'zone'), await findInstances(server, 'region')]
  const spots: Spot[] = []
  for (const set of sets) {
    const region = regions.data.info.find((each) => each.bk_inst_id === set.bk_parent_id && set.default === 0)
    const zone = zones.data.info.find((each) => each.bk_inst_id === region?.bk_parent_id)
    const levels = region && zone ? { zone, region } : {}
    const { info } = (await findModules(server, business, set.bk_set_id as number, { page: { limit: 200 } })).data
    spots.push(...info.map((module) => ({ module, set, levels: levels as Record<string, Values> })))
  }
  const spotsOf = (modules: number[]) =>
    modules.length === 0
      ? spots.filter((spot) => spot.module.default === 1)
      : spots.filter((spot) => modules.includes(spot.module.bk_module_id as number))
  const records = await Promise.all(ids.map((id) => readHost(server, id)))
  return {
    business: biz.data.info[0] as Values,
    hosts: records.map((record, index) => ({ record, spots: spotsOf(places[index] as number[]) })),
  }
}
