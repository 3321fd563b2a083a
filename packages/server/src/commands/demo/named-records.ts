import { demo } from '@mainline/contract'
import { createGroup, giveGroup } from '../../areas/privileges/index.ts'
import { createQuery } from '../../areas/queries/run/index.ts'
import { createFavourite } from '../../areas/settings/index.ts'
import { createInstance } from '../../areas/topology/index.ts'
import type { ServeConfig } from '../../common/config.ts'
import { asDocumented } from '../../http/dialect.ts'
import type { Actor, Storage } from '../../storage/index.ts'

const select = (bk_obj_id: string, fields: string[], filter?: { field: string; operator: string; value: string }) => ({
  bk_obj_id,
  fields,
  condition: filter ? [filter] : [],
})
const queries = [
  {
    id: demo.queries[0],
    name: 'payment gateways',
    condition: [
      select('set', ['bk_set_name'], { field: 'bk_set_name', operator: '$eq', value: 'gateway' }),
      select('module', ['bk_module_name']),
      select('host', ['bk_host_innerip', 'bk_host_name', 'bk_os_name']),
    ],
  },
  {
    id: demo.queries[1],
    name: 'windows machines',
    condition: [select('host', ['bk_host_name'], { field: 'bk_os_type', operator: '$eq', value: '2' })],
  },
]
const switches = ['core-1', 'core-2', 'core-3']
const groups = [
  { id: demo.groups[0], group_name: 'switch keepers', user_list: 'rosa;sam' },
  { id: demo.groups[1], group_name: 'interns', user_list: 'tom' },
]
const ofNetworkTeam = { model_config: { bk_network: { bk_switch: ['create', 'update', 'delete', 'search'] } } }
const favourites = [
  { id: demo.favourites[0], name: 'Linux in the shop', system: '1' },
  { id: demo.favourites[1], name: 'Windows in the shop', system: '2' },
]

/** Searchable attributes, saved queries, user groups and favourites, with the ids that the examples of the API document name. */
export async function addNamedRecords(
  { change }: Pick<Storage, 'change'>,
  { timezone }: Pick<ServeConfig, 'timezone'>,
  actor: Actor,
): Promise<void> {
  const showing = { language: 'en', zone: timezone } as const
  for (const name of switches) {
    await change(actor, (tx) => createInstance(tx, 'bk_switch', { bk_inst_name: name }, showing))
  }
  for (const { id, name, condition } of queries) {
    const saved = { bizId: demo.business, name, info: JSON.stringify({ condition }) }
    await change(actor, (tx) => createQuery(tx, saved, { zone: timezone, ...asDocumented.savedQueries }, id))
  }
  for (const { id, ...group } of groups) await change(actor, (tx) => createGroup(tx, group, id))
  await change(actor, (tx) => giveGroup(tx, demo.groups[0], ofNetworkTeam))
  for (const { id, name, system } of favourites) {
    const search = [{ bk_obj_id: 'host', field: 'bk_os_type', operator: '$eq', value: system }]
    const info = JSON.stringify({ exact_search: true, bk_biz_id: 2 })
    const kept = { name, info, query_params: JSON.stringify(search) }
    await change(actor, (tx) => createFavourite(tx, id, kept), { repeatable: true })
  }
}
