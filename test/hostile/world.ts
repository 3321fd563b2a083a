// One of everything in account 0, each belonging to the others, so that requests about it have something to spoil.
import type { Endpoint, Envelope } from '@mainline/contract'
import type { Id } from '../accounts/requests.ts'

type Made = Record<string, unknown>

export interface World {
  /** What stands where the operation's example has this name; undefined leaves the example's own. */
  idFor(endpoint: Endpoint, name: string): Id | undefined
}

/** Letters only, and different for every number. */
const word = (nth: number): string => [...nth.toString(26)].map((digit) => letters[Number.parseInt(digit, 26)]).join('')
const letters = 'abcdefghijklmnopqrstuvwxyz'

/** What could not be made is left out: earlier requests may have made the model too demanding. */
export async function makeWorld(url: string, nth: number): Promise<World> {
  const name = `world ${nth}`
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

  const business = await id('/biz/0', { bk_biz_name: name, bk_biz_maintainer: 'ann' }, 'bk_biz_id')
  const chain = (await call<{ bk_obj_id: string }[]>('GET', '/topo/model/0')) ?? []
  let parent = business
  for (const { bk_obj_id: level } of chain.slice(
    1,
    chain.findIndex((model) => model.bk_obj_id === 'set'),
  )) {
    parent = await id(
      `/inst/0/${level}`,
      { bk_biz_id: business, bk_parent_id: parent, bk_inst_name: name },
      'bk_inst_id',
    )
  }
  const setBody = { bk_biz_id: business, bk_parent_id: parent, bk_supplier_account: '0', bk_set_name: name }
  const set = await id(`/set/${business}`, setBody, 'bk_set_id')
  const module = await id(`/module/${business}/${set}`, { bk_module_name: name }, 'bk_module_id')
  const spare = {
    bk_biz_id: await id('/biz/0', { bk_biz_name: `spare ${nth}` }, 'bk_biz_id'),
    bk_set_id: await id(`/set/${business}`, { ...setBody, bk_set_name: 'spare' }, 'bk_set_id'),
    bk_module_id: await id(`/module/${business}/${set}`, { bk_module_name: 'spare' }, 'bk_module_id'),
  }
  const address = `10.${(nth >> 8) & 255}.${nth & 255}`
  const placing = { bk_biz_id: business, bk_module_id: [module], host_info: { 1: { bk_host_innerip: `${address}.1` } } }
  const placed = (await call<{ hosts: Made }>('POST', '/hosts/sync/new/host', placing))?.hosts?.[1] as Id
  const adding = { host_info: { 1: { bk_host_innerip: `${address}.2` } } }
  const pooled = (await call<{ hosts: Made }>('POST', '/hosts/add', adding))?.hosts?.[1] as Id
  await call('POST', '/topo/privilege/group/0', { group_name: name, user_list: 'ann;olga' })
  const groups = await call<Made[]>('POST', '/topo/privilege/group/0/search', { group_name: name })
  const subscription = {
    ...{ subscription_name: name, system_name: 'fuzz', callback_url: 'http://127.0.0.1:9/' },
    ...{ confirm_mode: 'httpstatus', confirm_pattern: '200', subscription_form: 'setcreate,hostcreate', timeout: 1 },
  }
  const group = groups?.[0]?.group_id as Id | undefined
  const info = JSON.stringify({ condition: [{ bk_obj_id: 'host', fields: ['bk_host_innerip'], condition: [] }] })
  const own: Record<string, Id | undefined> = {
    ...{ bk_biz_id: business, bk_parent_id: parent, bk_set_id: set, bk_module_id: module, bk_cloud_id: 0 },
    ...{ group_id: group, bk_group_id: group },
    subscription_id: await id('/event/subscribe/0/0', subscription, 'subscription_id'),
  }
  const byPath: [prefix: string, id: Id | undefined][] = [
    ['/object/attr', await id('/object/attr', attributeBody(nth))],
    ['/object/classification', await id('/object/classification', classificationBody(nth, name))],
    ['/objectatt/group', await id('/objectatt/group/new', groupBody(nth, name))],
    ['/object', await id('/object', objectBody(nth, name))],
    ['/hosts/favorites', await id('/hosts/favorites', { name, info: '{}', query_params: '[]', is_default: 2 })],
    ['/userapi', await id('/userapi', { bk_biz_id: business, name, info })],
  ]
  byPath.push(['/integrations', byPath.at(-1)?.[1]])
  const instance = await id('/inst/0/bk_switch', { bk_inst_name: name }, 'bk_inst_id')

  return {
    idFor({ name: operation, method, path }, key) {
      if (key === 'bk_group_id' && path.startsWith('/objectatt')) return undefined
      if (/^(delete|archive|recover)_business/.test(operation)) return spare.bk_biz_id
      // What is removed is empty: the rest of it would be refused for its hosts.
      if (operation === 'delete_set' && key === 'bk_set_id') return spare.bk_set_id
      if (operation === 'batch_delete_set' && key === 'inst_ids') return spare.bk_set_id
      if (operation === 'delete_module' && key === 'bk_module_id') return spare.bk_module_id
      if (key === 'bk_host_id') return /delete_host$|_resourcehost_/.test(operation) ? pooled : placed
      if (key === 'inst_ids' || key === 'bk_inst_id') return path.startsWith('/inst') ? instance : set
      if (key === 'bk_biz_id' && path.startsWith('/event/')) return 0
      if (key !== 'id') return own[key]
      return method === 'POST' ? undefined : byPath.find(([prefix]) => path.startsWith(prefix))?.[1]
    },
  }
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
