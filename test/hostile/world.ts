// One of everything in account 0, each depending on others, so that requests about it can damage something.
import type { Endpoint, Envelope } from '@mainline/contract'
import { readSheet } from '../../packages/server/src/sheets/index.ts'
import { type Id, idNames } from '../accounts/requests.ts'
import type { Exported } from './files.ts'

type Made = Record<string, unknown>

export interface World {
  /** The replacement of an id in an example; undefined keeps the example's. */
  idFor(endpoint: Endpoint, name: string): Id | undefined
  /** The material for files. */
  exported(): Exported
  /** Creates removed records again, or all of them, so that later requests find something, too. */
  renew(after?: Endpoint): Promise<void>
}

/** Letters only, and different for every number. */
const word = (nth: number): string => [...nth.toString(26)].map((digit) => letters[Number.parseInt(digit, 26)]).join('')
const letters = 'abcdefghijklmnopqrstuvwxyz'

/** The containers of everything else. */
interface Ground {
  readonly business: Id | undefined
  readonly parent: Id | undefined
  readonly set: Id | undefined
  readonly module: Id | undefined
  readonly host: Id | undefined
}

/** Records that cannot be created are left out: earlier requests may have added required attributes. */
export async function makeWorld(url: string): Promise<World> {
  const call = async <Data = Made>(method: string, path: string, body?: unknown): Promise<Data | undefined> => {
    const sent = { method, headers: { 'content-type': 'application/json' }, signal: AbortSignal.timeout(30_000) }
    const answer = await fetch(`${url}/api/v3${path}`, {
      ...sent,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const { result, data } = (await answer.json()) as Envelope<Data>
    return result ? data : undefined
  }
  const id = async (path: string, body: unknown, key = 'id') =>
    (await call('POST', path, body))?.[key] as Id | undefined
  const hostOf = async (path: string, body: Made, nth: number) => {
    const host_info = { 1: { bk_host_innerip: `10.${(nth >> 16) & 255}.${(nth >> 8) & 255}.${nth & 255}` } }
    return (await call<{ hosts: Made }>('POST', path, { ...body, host_info }))?.hosts?.[1] as Id | undefined
  }
  let made = 0
  let ground: Ground

  const setBody = (name: string) => ({
    ...{ bk_biz_id: ground.business, bk_parent_id: ground.parent, bk_supplier_account: '0', bk_set_name: name },
  })
  const subscriptionBody = (name: string) => ({
    ...{ subscription_name: name, system_name: 'fuzz', callback_url: 'http://127.0.0.1:9/' },
    ...{ confirm_mode: 'httpstatus', confirm_pattern: '200', subscription_form: 'setcreate,hostcreate', timeout: 1 },
  })
  const info = JSON.stringify({ condition: [{ bk_obj_id: 'host', fields: ['bk_host_innerip'], condition: [] }] })
  /** How to create each of what requests may remove. */
  const recipes: Record<Removable, (name: string, nth: number) => Promise<Id | undefined>> = {
    business: (name) => id('/biz/0', { bk_biz_name: name }, 'bk_biz_id'),
    set: (name) => id(`/set/${ground.business}`, setBody(name), 'bk_set_id'),
    module: (name) => id(`/module/${ground.business}/${ground.set}`, { bk_module_name: name }, 'bk_module_id'),
    host: (_, nth) => hostOf('/hosts/add', {}, nth),
    instance: (name) => id('/inst/0/bk_switch', { bk_inst_name: name }, 'bk_inst_id'),
    async group(name) {
      await call('POST', '/topo/privilege/group/0', { group_name: name, user_list: 'ann;olga' })
      const groups = await call<Made[]>('POST', '/topo/privilege/group/0/search', { group_name: name })
      return groups?.[0]?.group_id as Id | undefined
    },
    subscription: (name) => id('/event/subscribe/0/0', subscriptionBody(name), 'subscription_id'),
    attribute: (_, nth) => id('/object/attr', attributeBody(nth)),
    classification: (name, nth) => id('/object/classification', classificationBody(nth, name)),
    attributeGroup: (name, nth) => id('/objectatt/group/new', groupBody(nth, name)),
    object: (name, nth) => id('/object', objectBody(nth, name)),
    favourite: (name) => id('/hosts/favorites', { name, info: '{}', query_params: '[]', is_default: 2 }),
    query: (name) => id('/userapi', { bk_biz_id: ground.business, name, info }),
    associationKind: (_, nth) => id('/topo/association/type/action/create', { bk_asst_id: `k${word(nth)}` }),
    async objectAssociation(_, nth) {
      // With a kind of its own, since one kind associates two objects once.
      const kind = `o${word(nth)}`
      await call('POST', '/topo/association/type/action/create', { bk_asst_id: kind })
      return id('/object/association/action/create', { ...switchToHost, bk_asst_id: kind })
    },
    async association(name) {
      await call('POST', '/object/association/action/create', { ...switchToHost, bk_asst_id: 'default' })
      const source = await id('/inst/0/bk_switch', { bk_inst_name: name }, 'bk_inst_id')
      const ends = { bk_inst_id: source, bk_asst_inst_id: ground.host }
      return id('/inst/association/action/create', { bk_obj_asst_id: 'bk_switch_default_host', ...ends })
    },
  }
  const things = new Map<Removable, Id | undefined>()
  const make = async (wanted: Iterable<Removable>) => {
    for (const thing of wanted) things.set(thing, await recipes[thing](`thing ${++made}`, made))
  }
  let exported: Exported
  const makeAll = async () => {
    ground = await makeGround(++made)
    await make(Object.keys(recipes) as Removable[])
    exported = await exportAll(url, ground.business)
  }
  const makeGround = async (nth: number): Promise<Ground> => {
    const name = `world ${nth}`
    const business = await id('/biz/0', { bk_biz_name: name, bk_biz_maintainer: 'ann' }, 'bk_biz_id')
    const chain = (await call<{ bk_obj_id: string }[]>('GET', '/topo/model/0')) ?? []
    const levels = chain.map((model) => model.bk_obj_id)
    let parent = business
    for (const level of levels.slice(1, levels.indexOf('set'))) {
      const body = { bk_biz_id: business, bk_parent_id: parent, bk_inst_name: name }
      parent = await id(`/inst/0/${level}`, body, 'bk_inst_id')
    }
    ground = { business, parent, set: undefined, module: undefined, host: undefined }
    const set = await id(`/set/${business}`, setBody(name), 'bk_set_id')
    const module = await id(`/module/${business}/${set}`, { bk_module_name: name }, 'bk_module_id')
    const host = await hostOf('/hosts/sync/new/host', { bk_biz_id: business, bk_module_id: [module] }, nth)
    return { business, parent, set, module, host }
  }

  await makeAll()
  return {
    idFor(endpoint, name) {
      const thing = removableFor(endpoint, name)
      return thing ? things.get(thing) : standing(endpoint, name, ground)
    },
    exported: () => exported,
    async renew(after) {
      const gone = new Set(after && idNames(after).flatMap((name) => removableFor(after, name) ?? []))
      await (gone.size > 0 ? make(gone) : makeAll())
    },
  }
}

const switchToHost = { bk_obj_id: 'bk_switch', bk_asst_obj_id: 'host' }

/** The newest lines of each kind in an exported estate. */
const ofEachKind = 4

async function exportAll(url: string, business: Id | undefined): Promise<Exported> {
  const bytes = async (path: string) =>
    new Uint8Array(
      await (await fetch(`${url}/api/v3/export/${path}`, { signal: AbortSignal.timeout(30_000) })).arrayBuffer(),
    )
  const table = async (path: string) => {
    const { columns, rows } = await readSheet(await bytes(path))
    return [columns, ...rows.map(({ cells }) => cells)]
  }
  const lines = new TextDecoder()
    .decode(await bytes('estate/0'))
    .trimEnd()
    .split('\n')
  const kinds = Map.groupBy(
    lines.map((line): Made => JSON.parse(line)),
    ({ is }) => is,
  )
  const estate = [...kinds.values()].flatMap((records) => records.slice(-ofEachKind))
  return { hosts: await table(`hosts/${business}`), topology: await table(`topology/${business}`), estate }
}

const removables = {
  '/object/attr': 'attribute',
  '/object/classification': 'classification',
  '/objectatt/group': 'attributeGroup',
  '/object/association': 'objectAssociation',
  '/topo/association/type': 'associationKind',
  '/object': 'object',
  '/hosts/favorites': 'favourite',
  '/userapi': 'query',
  '/integrations': 'query',
} as const
type Removable =
  | (typeof removables)[keyof typeof removables]
  | ('business' | 'set' | 'module' | 'host' | 'instance' | 'group' | 'subscription' | 'association')

/** Records to be removed are empty and have no dependants: others would be refused. */
function removableFor({ name: operation, method, path }: Endpoint, key: string): Removable | undefined {
  switch (key) {
    case 'bk_biz_id':
      return /^(delete|archive|recover)_business/.test(operation) ? 'business' : undefined
    case 'bk_set_id':
      return operation === 'delete_set' ? 'set' : undefined
    case 'bk_module_id':
      return operation === 'delete_module' ? 'module' : undefined
    case 'bk_host_id':
      return /delete_host$|_resourcehost_/.test(operation) ? 'host' : undefined
    case 'inst_ids':
    case 'bk_inst_id':
      return /^\/(inst|impact)\b/.test(path) ? 'instance' : operation === 'batch_delete_set' ? 'set' : undefined
    case 'group_id':
      return 'group'
    case 'bk_group_id':
      return path.startsWith('/objectatt') ? undefined : 'group'
    case 'subscription_id':
      return 'subscription'
    case 'association_id':
      return 'association'
    case 'id':
      return method === 'POST' ? undefined : Object.entries(removables).find(([prefix]) => path.startsWith(prefix))?.[1]
    default:
      return undefined
  }
}

function standing({ path }: Endpoint, key: string, { business, parent, set, module, host }: Ground): Id | undefined {
  // Subscriptions of the account are under business 0.
  if (key === 'bk_biz_id') return path.startsWith('/event/') ? 0 : business
  const ids: Record<string, Id | undefined> = {
    ...{ bk_parent_id: parent, bk_set_id: set, bk_module_id: module, bk_host_id: host, bk_cloud_id: 0 },
    ...{ inst_ids: set, bk_inst_id: set, bk_asst_inst_id: host },
  }
  return ids[key]
}

const attributeBody = (nth: number) => ({
  ...{ bk_obj_id: 'host', bk_property_id: `a_${word(nth)}`, bk_property_name: `attribute ${nth}` },
  ...{ bk_property_type: ['singlechar', 'int', 'float', 'date', 'bool', 'longchar', 'timezone'][nth % 7] },
})
const classificationBody = (nth: number, name: string) => ({
  bk_classification_id: `c${word(nth)}`,
  bk_classification_name: name,
})
const groupBody = (nth: number, name: string) => ({
  bk_obj_id: 'set',
  bk_group_id: `g${word(nth)}`,
  bk_group_name: name,
})
const objectBody = (nth: number, name: string) => ({
  ...{ bk_obj_id: `o${word(nth)}`, bk_obj_name: name, bk_classification_id: 'bk_network' },
})
