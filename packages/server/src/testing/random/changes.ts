// Random changes of every kind through the interface, on whatever is stored. Refused ones count, too: they change nothing.
import type { Columns, RowKind } from '../../areas/history/recorded/index.ts'
import { readLive } from '../../areas/history/recorded/index.ts'
import type { TestServer } from '../harness.ts'

/** Numbers that a seed repeats. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

type Send = (method: string, path: string, body?: unknown) => Promise<boolean>

class Choice {
  readonly #server: TestServer
  readonly #random: () => number
  readonly send: Send

  constructor(server: TestServer, random: () => number) {
    this.#server = server
    this.#random = random
    this.send = async (method, path, body) => (await server.call(method, path, body)).result
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  oneOf<T>(list: readonly T[]): T | undefined {
    return list[this.below(list.length)]
  }

  /** A word that others may have, too. */
  word(): string {
    return ['red', 'green', 'blue', 'grün', '空闲机', 'a,b', '', 'x y'][this.below(8)] ?? ''
  }

  /** A new identifier, of letters only as clients of the original spell them. */
  fresh(): string {
    return Array.from({ length: 8 }, () => String.fromCharCode(97 + this.below(26))).join('')
  }

  async rows(kind: RowKind, isMeant: (row: Columns) => boolean = () => true): Promise<Columns[]> {
    const all = await readLive(this.#server.service.storage.read, '0', kind)
    return [...all.values()].filter(isMeant)
  }

  async row(kind: RowKind, isMeant?: (row: Columns) => boolean): Promise<Columns> {
    return this.oneOf(await this.rows(kind, isMeant)) ?? {}
  }

  /** A value for an attribute, if the object has it now. */
  async valueOf(object: string, attribute: string): Promise<Record<string, unknown>> {
    const known = await this.rows('attribute', (row) => row.object_id === object && row.attribute_id === attribute)
    return known[0] ? { [attribute]: known[0].type === 'int' ? this.below(9) : this.word() } : {}
  }

  node(object: string, isMeant: (row: Columns) => boolean = () => true): Promise<Columns> {
    return this.row('node', (row) => row.object_id === object && row.built_in === 0 && isMeant(row))
  }
}

/** Objects that random changes define, and levels. */
const levels = ['zone', 'room']
const objects = ['rack', 'cable']

type Step = (choice: Choice) => Promise<boolean>

const parentOfSets = async (choice: Choice, business: Columns): Promise<unknown> => {
  const [set] = await choice.rows('object', (row) => row.object_id === 'set')
  if (set?.above === 'biz') return business.inst_id
  return (await choice.node(String(set?.above), (row) => row.biz_id === business.inst_id)).inst_id
}

const topology: Step[] = [
  (choice) => choice.send('POST', '/biz/0', { bk_biz_name: choice.fresh(), bk_biz_maintainer: 'amy' }),
  async (choice) => {
    const { inst_id } = await choice.node('biz')
    return choice.send('PUT', `/biz/0/${inst_id}`, {
      bk_biz_developer: choice.word(),
      ...(await choice.valueOf('biz', 'guests')),
    })
  },
  async (choice) => choice.send('PUT', `/biz/0/${(await choice.node('biz')).inst_id}`, { bk_biz_name: choice.fresh() }),
  async (choice) => choice.send('PUT', `/biz/status/disabled/0/${(await choice.node('biz')).inst_id}`, {}),
  async (choice) => choice.send('PUT', `/biz/status/enable/0/${(await choice.node('biz')).inst_id}`, {}),
  async (choice) => {
    if (choice.below(3) > 0) return false
    return choice.send('DELETE', `/biz/0/${(await choice.node('biz')).inst_id}`)
  },
  async (choice) => {
    const business = await choice.node('biz')
    const [bk_biz_id, bk_parent_id] = [business.inst_id, await parentOfSets(choice, business)]
    const own = { bk_set_name: choice.fresh(), description: choice.word() }
    const body = { bk_biz_id, bk_parent_id, bk_supplier_account: '0', ...own }
    return choice.send('POST', `/set/${bk_biz_id}`, body)
  },
  async (choice) => {
    const { biz_id, inst_id } = await choice.node('set')
    return choice.send('PUT', `/set/${biz_id}/${inst_id}`, {
      bk_biz_id: biz_id,
      description: choice.word(),
      ...(await choice.valueOf('set', 'colour')),
    })
  },
  async (choice) => {
    const { biz_id, inst_id } = await choice.node('set')
    return choice.send('DELETE', `/set/${biz_id}/${inst_id}`)
  },
  async (choice) => {
    const { biz_id, inst_id } = await choice.row('node', (row) => row.object_id === 'set')
    return choice.send('POST', `/module/${biz_id}/${inst_id}`, { bk_module_name: choice.fresh() })
  },
  async (choice) => {
    const { biz_id, inst_id, parent_id } = await choice.node('module')
    return choice.send('PUT', `/module/${biz_id}/${parent_id}/${inst_id}`, { bk_module_name: choice.fresh() })
  },
  async (choice) => {
    const { biz_id, inst_id, parent_id } = await choice.node('module')
    return choice.send('DELETE', `/module/${biz_id}/${parent_id}/${inst_id}`)
  },
  async (choice) => {
    const id = choice.oneOf(levels)
    const above = choice.oneOf(['biz', ...levels])
    const body = { bk_classification_id: choice.fresh(), bk_obj_id: id, bk_obj_name: id, bk_asst_obj_id: above }
    return choice.send('POST', '/topo/model/mainline', body)
  },
  (choice) => choice.send('DELETE', `/topo/model/mainline/owners/0/objectids/${choice.oneOf(levels)}`),
  async (choice) => {
    const { object_id, inst_id } = await choice.row('node', (row) => levels.includes(String(row.object_id)))
    return choice.send('PUT', `/inst/0/${object_id}/${inst_id}`, { bk_inst_name: choice.fresh() })
  },
]

const address = (choice: Choice) => `10.${choice.below(4)}.${choice.below(200)}.${choice.below(200)}`

const hosts: Step[] = [
  (choice) =>
    choice.send('POST', '/hosts/add', { bk_biz_id: 0, host_info: { 1: { bk_host_innerip: address(choice) } } }),
  async (choice) => {
    const module = await choice.node('module')
    const host_info = { 1: { bk_host_innerip: `${address(choice)},${address(choice)}`, bk_comment: choice.word() } }
    const body = { bk_biz_id: module.biz_id, bk_module_id: [module.inst_id], host_info }
    return choice.send('POST', '/hosts/sync/new/host', body)
  },
  async (choice) => {
    const { host_id } = await choice.row('host')
    return choice.send('PUT', '/hosts/batch', {
      bk_host_id: String(host_id),
      bk_comment: choice.word(),
      bk_sn: choice.word(),
    })
  },
  async (choice) =>
    choice.send('PUT', '/hosts/batch', {
      bk_host_id: String((await choice.row('host')).host_id),
      ...(await choice.valueOf('host', 'colour')),
    }),
  async (choice) => {
    const { host_id } = await choice.row('host')
    return choice.send('DELETE', '/hosts/batch', { bk_host_id: String(host_id) })
  },
  async (choice) => {
    const placed = await choice.row('placement')
    const rows = await choice.rows('host')
    const own = await choice.node('module', (row) => row.biz_id === placed.biz_id)
    const bk_host_id = [choice.oneOf(rows)?.host_id]
    return choice.send('POST', '/hosts/modules', {
      bk_biz_id: placed.biz_id,
      bk_host_id,
      bk_module_id: [own.inst_id],
      is_increment: choice.below(2) === 0,
    })
  },
  async (choice) => {
    const { biz_id } = await choice.row('placement')
    const bk_host_id = [(await choice.row('host')).host_id]
    const how = choice.oneOf(['idle', 'fault', 'resource'])
    return choice.send('POST', `/hosts/modules/${how}`, { bk_biz_id: biz_id, bk_host_id })
  },
  async (choice) => {
    const bk_host_id = [(await choice.row('host')).host_id]
    return choice.send('POST', '/hosts/modules/resource/idle', {
      bk_biz_id: (await choice.node('biz')).inst_id,
      bk_host_id,
    })
  },
]

const attributeOf = (choice: Choice) => {
  const [object, id] =
    choice.oneOf([
      ['set', 'colour'],
      ['host', 'colour'],
      ['biz', 'guests'],
      ['rack', 'size'],
    ]) ?? []
  return { object, id }
}

const model: Step[] = [
  (choice) => {
    const { object, id } = attributeOf(choice)
    const type = object === 'biz' ? 'objuser' : choice.oneOf(['singlechar', 'longchar', 'int'])
    const body = { bk_obj_id: object, bk_property_id: id, bk_property_name: id, bk_property_type: type }
    return choice.send('POST', '/object/attr', { ...body, searchable: choice.below(2) === 0 })
  },
  async (choice) => {
    const { id } = await choice.row('attribute', (row) => row.preset === 0)
    return choice.send('PUT', `/object/attr/${id}`, { bk_property_name: choice.fresh(), unit: choice.word() })
  },
  async (choice) =>
    choice.send('DELETE', `/object/attr/${(await choice.row('attribute', (row) => row.preset === 0)).id}`),
  (choice) => {
    const id = choice.oneOf(objects)
    return choice.send('POST', '/object', { bk_obj_id: id, bk_obj_name: id, bk_classification_id: 'bk_network' })
  },
  async (choice) => {
    const { id } = await choice.row('object', (row) => objects.includes(String(row.object_id)))
    return choice.send('PUT', `/object/${id}`, { bk_obj_name: choice.fresh() })
  },
  async (choice) => {
    const { id } = await choice.row('object', (row) => objects.includes(String(row.object_id)))
    return choice.send('DELETE', `/object/${id}`)
  },
  (choice) =>
    choice.send('POST', '/object/classification', {
      bk_classification_id: choice.fresh(),
      bk_classification_name: choice.fresh(),
    }),
  async (choice) => {
    const { id } = await choice.row('classification')
    return choice.send('PUT', `/object/classification/${id}`, { bk_classification_name: choice.fresh() })
  },
  async (choice) => choice.send('DELETE', `/object/classification/${(await choice.row('classification')).id}`),
  (choice) => {
    const body = {
      bk_obj_id: choice.oneOf(['set', ...objects]),
      bk_group_id: choice.fresh(),
      bk_group_name: choice.fresh(),
    }
    return choice.send('POST', '/objectatt/group/new', body)
  },
  async (choice) => {
    const { id } = await choice.row('attribute_group', (row) => row.preset === 1)
    return choice.send('PUT', '/objectatt/group/update', { condition: { id }, data: { bk_group_name: choice.fresh() } })
  },
  async (choice) => {
    const { id } = await choice.row('attribute_group', (row) => row.preset === 0)
    return choice.send('DELETE', `/objectatt/group/groupid/${id}`)
  },
]

const associations: Step[] = [
  async (choice) =>
    choice.send('POST', '/inst/0/rack', { bk_inst_name: choice.fresh(), ...(await choice.valueOf('rack', 'size')) }),
  async (choice) =>
    choice.send('PUT', `/inst/0/rack/${(await choice.node('rack')).inst_id}`, { bk_inst_name: choice.fresh() }),
  async (choice) => choice.send('DELETE', `/inst/0/rack/${(await choice.node('rack')).inst_id}`),
  async (choice) => {
    const { id, object_id } = await choice.row('attribute', (row) => row.preset === 0)
    const rule = { keys: [{ key_kind: 'property', key_id: id }] }
    return choice.send('POST', `/object/${object_id}/unique/action/create`, rule)
  },
  (choice) =>
    choice.send('POST', '/topo/association/type/action/create', { bk_asst_id: choice.fresh(), bk_asst_name: 'to' }),
  async (choice) => {
    const { id } = await choice.row('association_kind')
    return choice.send('PUT', `/topo/association/type/${id}/action/update`, { src_des: choice.word() })
  },
  async (choice) =>
    choice.send('DELETE', `/topo/association/type/${(await choice.row('association_kind')).id}/action/delete`),
  async (choice) => {
    const { kind } = await choice.row('association_kind')
    const ends = { bk_obj_id: 'rack', bk_asst_obj_id: 'set', bk_asst_id: kind ?? 'connect' }
    return choice.send('POST', '/object/association/action/create', ends)
  },
  async (choice) => {
    const association = await choice.row('object_association')
    const [source, target] = [await choice.node('rack'), await choice.node('set')]
    const ends = { bk_inst_id: source.inst_id, bk_asst_inst_id: target.inst_id }
    return choice.send('POST', '/inst/association/action/create', {
      bk_obj_asst_id: association.association_id,
      ...ends,
    })
  },
  async (choice) => {
    const { id } = await choice.row('instance_association')
    return choice.send('DELETE', `/inst/association/${id}/action/delete`)
  },
  async (choice) =>
    choice.send('DELETE', `/object/association/${(await choice.row('object_association')).id}/action/delete`),
]

const info = (name: string) => JSON.stringify({ condition: [{ bk_obj_id: 'host', fields: [name], condition: [] }] })

const rights: Step[] = [
  async (choice) => {
    const { inst_id } = await choice.node('biz')
    return choice.send('POST', '/userapi', { bk_biz_id: inst_id, name: choice.fresh(), info: info('bk_host_id') })
  },
  async (choice) => {
    const { biz_id, id } = await choice.row('custom_query')
    return choice.send('PUT', `/userapi/${biz_id}/${id}`, { info: info(choice.oneOf(['bk_sn', 'bk_host_id']) ?? '') })
  },
  async (choice) => {
    const { biz_id, id } = await choice.row('custom_query')
    return choice.send('DELETE', `/userapi/${biz_id}/${id}`)
  },
  (choice) => choice.send('POST', '/topo/privilege/group/0', { group_name: choice.fresh(), user_list: 'amy;bob' }),
  async (choice) => {
    const { group_id } = await choice.row('user_group')
    return choice.send('PUT', `/topo/privilege/group/0/${group_id}`, {
      user_list: choice.oneOf(['amy', 'bob;cyd', '']),
    })
  },
  async (choice) => {
    const { group_id } = await choice.row('user_group')
    const back_config = choice.oneOf([['event'], ['model', 'audit'], []])
    return choice.send('POST', `/topo/privilege/group/detail/0/${group_id}`, { sys_config: { back_config } })
  },
  async (choice) => choice.send('DELETE', `/topo/privilege/group/0/${(await choice.row('user_group')).group_id}`),
  (choice) => {
    const role = choice.oneOf(['bk_biz_maintainer', 'guests'])
    return choice.send(
      'POST',
      `/topo/privilege/0/biz/${role}`,
      choice.oneOf([['hostupdate'], ['topoupdate', 'hosttrans'], []]),
    )
  },
]

const areas = { topology, hosts, model, associations, rights }

/** One random change. Returns its kind and whether it was made. */
export async function changeAtRandom(
  server: TestServer,
  random: () => number,
): Promise<{ what: string; made: boolean }> {
  const choice = new Choice(server, random)
  const name =
    choice.oneOf(['topology', 'topology', 'hosts', 'hosts', 'model', 'associations', 'rights'] as const) ?? 'hosts'
  const steps = areas[name]
  const index = choice.below(steps.length)
  return { what: `${name} ${index}`, made: (await steps[index]?.(choice)) ?? false }
}
