// Every operation with a body: one request that succeeds, and which parameters are optional, written by hand. The declarations of the contract are
// compared with this table, so that neither can change alone.

import type { associations } from '@mainline/contract'
import { vi } from 'vitest'
import { declare, makeInstance } from '../../packages/server/src/testing/data/associations.ts'
import { findRecords, makeBusiness, makeSet, setBody } from '../../packages/server/src/testing/data/factories.ts'
import { freshAddress, makeHost, makeShop, type Shop } from '../../packages/server/src/testing/data/hosts.ts'
import { infoOf, saveQuery } from '../../packages/server/src/testing/data/queries.ts'
import { define } from '../../packages/server/src/testing/data/searchable.ts'
import { subscribe, subscriptionBody } from '../../packages/server/src/testing/data/subscriptions.ts'
import type { TestServer } from '../../packages/server/src/testing/harness.ts'

export interface World extends Shop {
  readonly server: TestServer
  readonly host: number
  readonly query: string
  readonly group: string
  readonly subscription: number
  readonly favourite: string
  readonly attribute: number
  readonly classification: number
  readonly object: number
  readonly attributeGroup: number
  readonly instance: number
  readonly associationKind: number
  readonly objectAssociation: associations.ObjectAssociationRecord
  readonly secondBusiness: number
  readonly uniqueRule: number
  /** A record, and the request that made it. */
  readonly recorded: { readonly position: number; readonly requestId: string }
}

const receiver = { url: 'http://127.0.0.1:9/' }
let count = 0
const fresh = (what: string) => `${what} ${++count}`
/** An identifier of small letters, valid in both dialects. */
const letters = () => `x${[...String(++count)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`

export async function furnish(server: TestServer): Promise<World> {
  const shop = await makeShop(server)
  const { business } = shop
  const made = async (path: string, body: object) => {
    const answer = await server.call<Record<string, never>>('POST', path, body)
    if (!answer.result) throw new Error(`${path}: ${answer.bk_error_msg}`)
    return answer.data
  }
  await made('/topo/privilege/group/0', { group_name: 'ops', user_list: 'amy' })
  const [group] = (await made('/topo/privilege/group/0/search', {})) as unknown as [{ group_id: string }]
  const object = { bk_obj_id: letters(), bk_obj_name: 'rack', bk_classification_id: 'bk_network' }
  const classification = { bk_classification_id: letters(), bk_classification_name: 'storage' }
  const attributeGroup = { bk_obj_id: 'set', bk_group_id: letters(), bk_group_name: 'money' }
  return {
    ...shop,
    server,
    host: await makeHost(server, { business, modules: [shop.web] }),
    query: await saveQuery(server, business, infoOf(), 'all'),
    group: group.group_id,
    subscription: (await subscribe(server, receiver)).id,
    favourite: (await made('/hosts/favorites', { name: 'mine' })).id as unknown as string,
    attribute: await define(server, 'set', 'ports', 'int', { option: { min: 1, max: 9 } }),
    classification: (await made('/object/classification', classification)).id as unknown as number,
    object: (await made('/object', object)).id as unknown as number,
    attributeGroup: (await made('/objectatt/group/new', attributeGroup)).id as unknown as number,
    instance: (await made('/inst/0/bk_switch', { bk_inst_name: 'core' })).bk_inst_id as unknown as number,
    associationKind: (await made('/topo/association/type/action/create', { bk_asst_id: letters() }))
      .id as unknown as number,
    objectAssociation: await declare(server, 'bk_switch', 'bk_router'),
    secondBusiness: await makeBusiness(server),
    uniqueRule: (await made('/object/bk_router/unique/action/create', await ruleOf(server))).id as unknown as number,
    recorded: await recordUpdate(server, business),
  }
}

/** Of a new attribute, that no instance has. */
async function ruleOf(server: TestServer) {
  const key_id = await define(server, 'bk_router', letters(), 'singlechar')
  return { keys: [{ key_kind: 'property', key_id }] }
}

async function recordUpdate(server: TestServer, business: number) {
  const requestId = letters()
  await server.call('PUT', `/biz/0/${business}`, { bk_biz_tester: 'amy' }, { cc_request_id: requestId })
  const position = await vi.waitUntil(async () => {
    const { info } = (await findRecords(server, { op_target: 'biz', inst_id: business })).data
    return info.find((each) => each.request_id === requestId)?.position
  })
  return { position, requestId }
}

export interface Row {
  readonly path: (world: World) => string
  /** A body that succeeds, with only what the parameter under test needs. */
  readonly body: (world: World, tested: string) => unknown
  readonly optional?: string
  readonly required?: string
  /** Required only in the dialect of the document: the original takes the value from elsewhere. */
  readonly optionalInOriginal?: string
  /** Where the original has its own rules. */
  readonly dialect?: 'document'
}

const wholePage = 'page page.start page.limit page.sort'
const pageFor = (tested: string) => (tested.startsWith('page.') ? { page: {} } : {})
const search: Pick<Row, 'body' | 'optional'> = {
  body: (_, tested) => pageFor(tested),
  optional: `${wholePage} fields condition`,
}
const listed: Pick<Row, 'body' | 'optional'> = { body: () => ({}), optional: 'condition start limit sort' }
const conditions = (optional: string): Pick<Row, 'body' | 'optional'> => ({ body: () => ({}), optional })

/** The operations of spec.md. */
const documented: Record<string, Row> = {
  create_custom_query: {
    path: () => '/userapi',
    body: ({ business }) => ({ bk_biz_id: business, name: fresh('query'), info: infoOf() }),
    required: 'bk_biz_id name info',
  },
  update_custom_query: {
    path: ({ business, query }) => `/userapi/${business}/${query}`,
    body: () => ({}),
    optional: 'name info',
  },
  search_custom_query: {
    path: ({ business }) => `/userapi/search/${business}`,
    ...listed,
    optional: `${listed.optional} fields`,
  },
  bind_role_privilege: { path: () => '/topo/privilege/0/biz/operator', body: () => ['hostupdate'] },
  create_user_group: {
    path: () => '/topo/privilege/group/0',
    body: () => ({ group_name: fresh('group'), user_list: 'amy' }),
    required: 'group_name user_list',
  },
  update_user_group: {
    path: ({ group }) => `/topo/privilege/group/0/${group}`,
    body: () => ({}),
    optional: 'group_name user_list',
  },
  search_user_group: {
    path: () => '/topo/privilege/group/0/search',
    body: () => ({}),
    optional: 'group_name user_list fields',
  },
  update_group_privilege: {
    path: ({ group }) => `/topo/privilege/group/detail/0/${group}`,
    body: (_, tested) => ({
      ...(tested.startsWith('sys_config.') && { sys_config: {} }),
      ...(tested.startsWith('model_config.') && { model_config: { bk_network: {} } }),
    }),
    optional:
      'sys_config sys_config.global_busi sys_config.back_config back_config model_config model_config.bk_network model_config.bk_network.bk_switch',
  },
  create_mainline_object: {
    path: () => '/topo/model/mainline',
    body: () => ({
      ...{
        bk_classification_id: 'bk_biz_topo',
        bk_obj_id: letters(),
        bk_obj_name: fresh('level'),
        bk_asst_obj_id: 'biz',
      },
    }),
    optional: 'bk_supplier_account bk_obj_icon',
    required: 'bk_classification_id bk_obj_id bk_obj_name bk_asst_obj_id',
  },
  create_set: {
    path: ({ business }) => `/set/${business}`,
    body: ({ business }) => setBody(business),
    optional: 'bk_capacity description bk_service_status bk_set_env bk_set_desc',
    required: 'bk_parent_id bk_set_name',
    optionalInOriginal: 'bk_biz_id bk_supplier_account',
  },
  batch_delete_set: {
    path: ({ business }) => `/set/${business}/batch`,
    body: async ({ server, business }) => ({ delete: { inst_ids: [await makeSet(server, business)] } }),
    required: 'delete delete.inst_ids',
  },
  update_set: {
    path: ({ business, set }) => `/set/${business}/${set}`,
    body: ({ business }) => ({ bk_biz_id: business }),
    optional: 'bk_capacity description bk_service_status bk_set_env bk_set_desc',
    required: 'bk_set_name',
    optionalInOriginal: 'bk_biz_id',
  },
  search_set: {
    path: ({ business }) => `/set/search/0/${business}`,
    body: () => ({ page: { start: 0, limit: 10 }, fields: [], condition: {} }),
    optional: 'page.sort condition.bk_set_env condition.create_time',
    optionalInOriginal: 'page page.start page.limit fields condition',
  },
  save_user_custom: {
    path: () => '/usercustom',
    body: () => ({}),
    optional: 'host_query_column host_display_column biz_query_column biz_display_column bk_biz_id',
  },
  get_operation_log: {
    path: () => '/audit/search',
    body: (_, tested) => (tested.startsWith('condition.') ? { condition: {} } : {}),
    optional:
      'condition start limit sort group_by condition.op_time condition.op_type condition.op_target condition.bk_biz_id condition.ext_key condition.inst_id',
  },
  subscribe_event: {
    path: () => '/event/subscribe/0/0',
    body: () => {
      const { subscription_name, callback_url, subscription_form } = subscriptionBody(receiver.url)
      return { subscription_name, callback_url, subscription_form, batch: { max: 2 } }
    },
    optional:
      'system_name confirm_mode confirm_pattern filter timeout time_out parallel format batch batch.wait_ms secret',
    required: 'subscription_name callback_url subscription_form batch.max',
  },
  update_event_subscribe: {
    path: ({ subscription }) => `/event/subscribe/0/0/${subscription}`,
    body: () => {
      const { subscription_name, callback_url, subscription_form } = subscriptionBody(receiver.url)
      return { subscription_name, callback_url, subscription_form, batch: { max: 2 } }
    },
    optional: 'system_name confirm_mode confirm_pattern filter timeout time_out parallel format batch batch.wait_ms',
    required: 'subscription_name callback_url subscription_form batch.max',
  },
  search_subscription: {
    path: () => '/event/subscribe/search/0/0',
    body: (_, tested) => pageFor(tested),
    optional: wholePage,
  },
  ping_subscription: {
    path: () => '/event/subscribe/ping',
    body: ({ server }) => ({ callback_url: `${server.url}/healthz` }),
    optional: 'data',
    required: 'callback_url',
  },
  testing_connection: {
    path: () => '/event/subscribe/telnet',
    body: ({ server }) => ({ callback_url: server.url }),
    required: 'callback_url',
  },
}

const described = 'option unit placeholder editable isrequired searchable bk_property_group bk_supplier_account'
const inBusiness = 'bk_biz_id bk_host_id'

const companions: Record<string, Row> = {
  create_business: {
    path: () => '/biz/0',
    body: () => ({ bk_biz_name: fresh('business') }),
    optional:
      'life_cycle time_zone language bk_biz_maintainer bk_biz_productor bk_biz_tester bk_biz_developer operator',
    required: 'bk_biz_name',
  },
  update_business: {
    path: ({ secondBusiness }) => `/biz/0/${secondBusiness}`,
    body: () => ({}),
    optional: 'life_cycle bk_biz_productor bk_biz_tester bk_biz_developer operator',
    required: 'bk_biz_name time_zone language bk_biz_maintainer',
  },
  search_business: { path: () => '/biz/search/0', ...search },
  search_resource_pool: { path: () => '/biz/default/0/search', ...search },
  create_module: {
    path: ({ business, set }) => `/module/${business}/${set}`,
    body: () => ({ bk_module_name: fresh('module') }),
    optional: 'bk_module_type operator bk_bak_operator',
    required: 'bk_module_name',
  },
  update_module: {
    path: ({ business, set, web }) => `/module/${business}/${set}/${web}`,
    body: () => ({}),
    optional: 'bk_module_type operator bk_bak_operator',
    required: 'bk_module_name',
  },
  search_module: { path: ({ business, set }) => `/module/search/0/${business}/${set}`, ...search },
  create_inst: {
    path: () => '/inst/0/bk_switch',
    body: () => ({ bk_inst_name: fresh('switch') }),
    optional: 'bk_biz_id bk_parent_id',
    required: 'bk_inst_name',
  },
  update_inst: {
    path: ({ instance }) => `/inst/0/bk_switch/${instance}`,
    body: () => ({}),
    required: 'bk_inst_name',
  },
  batch_delete_inst: {
    path: () => '/inst/0/bk_switch/batch',
    body: async ({ server }) => {
      const { data } = await server.call('POST', '/inst/0/bk_switch', { bk_inst_name: fresh('switch') })
      return { delete: { inst_ids: [data.bk_inst_id] } }
    },
    required: 'delete delete.inst_ids',
  },
  search_inst: { path: () => '/inst/search/owner/0/object/bk_switch', ...search },
  add_host: {
    path: () => '/hosts/add',
    body: () => ({ host_info: { 1: { bk_host_innerip: freshAddress() } } }),
    optional: 'bk_supplier_account bk_biz_id host_info.1.bk_cloud_id host_info.1.bk_mem host_info.1.bk_comment',
    required: 'host_info',
  },
  sync_new_host: {
    path: () => '/hosts/sync/new/host',
    body: ({ business, web }) => ({
      ...{ bk_biz_id: business, bk_module_id: [web], host_info: { 1: { bk_host_innerip: freshAddress() } } },
    }),
    optional: 'bk_supplier_account',
    required: 'bk_biz_id bk_module_id host_info',
  },
  update_host: {
    path: () => '/hosts/batch',
    body: ({ host }) => ({ bk_host_id: host }),
    optional: 'bk_supplier_account bk_mem bk_comment operator',
    required: 'bk_host_id',
  },
  delete_host: {
    path: () => '/hosts/batch',
    body: async ({ server }) => ({ bk_host_id: await makeHost(server) }),
    optional: 'bk_supplier_account',
    required: 'bk_host_id',
  },
  search_host: {
    path: () => '/hosts/search',
    body: (_, tested) => ({
      ...pageFor(tested),
      ...(tested.startsWith('ip.') && { ip: {} }),
      ...(tested.startsWith('condition[]') && {
        condition: [{ bk_obj_id: 'host', condition: [{ field: 'bk_mem', operator: '$exists', value: true }] }],
      }),
    }),
    optional: `bk_supplier_account bk_biz_id ip ip.data ip.exact ip.flag condition condition[].fields condition[].condition ${wholePage} page.after`,
    required: 'condition[].bk_obj_id condition[].condition[].field condition[].condition[].operator',
  },
  transfer_host_module: {
    path: () => '/hosts/modules',
    body: ({ business, host, db }) => ({ bk_biz_id: business, bk_host_id: [host], bk_module_id: [db] }),
    optional: 'bk_supplier_account is_increment',
    required: `${inBusiness} bk_module_id`,
    dialect: 'document',
  },
  ...Object.fromEntries(
    [
      ['transfer_host_to_idlemodule', '/hosts/modules/idle'],
      ['transfer_host_to_faultmodule', '/hosts/modules/fault'],
    ].map(([name, path]): [string, Row] => [
      `${name}`,
      {
        path: () => `${path}`,
        body: ({ business, host }) => ({ bk_biz_id: business, bk_host_id: [host] }),
        optional: 'bk_supplier_account',
        required: inBusiness,
        dialect: 'document',
      },
    ]),
  ),
  transfer_host_to_resourcemodule: {
    path: () => '/hosts/modules/resource',
    body: async ({ server, business }) => ({ bk_biz_id: business, bk_host_id: [await makeHost(server, { business })] }),
    optional: 'bk_supplier_account',
    required: inBusiness,
    dialect: 'document',
  },
  transfer_resourcehost_to_idlemodule: {
    path: () => '/hosts/modules/resource/idle',
    body: async ({ server, business }) => ({ bk_biz_id: business, bk_host_id: [await makeHost(server)] }),
    optional: 'bk_supplier_account',
    required: inBusiness,
    dialect: 'document',
  },
  transfer_sethost_to_idle_module: {
    path: () => '/hosts/modules/idle/set',
    body: async ({ server, business, set, web }, tested) => {
      await makeHost(server, { business, modules: [web] })
      return { bk_biz_id: business, ...(tested === 'bk_set_id' ? { bk_module_id: web } : { bk_set_id: set }) }
    },
    optional: 'bk_supplier_account bk_set_id bk_module_id',
    required: 'bk_biz_id',
    dialect: 'document',
  },
  create_classification: {
    path: () => '/object/classification',
    body: () => ({ bk_classification_id: letters(), bk_classification_name: fresh('classification') }),
    optional: 'bk_supplier_account bk_classification_icon',
    required: 'bk_classification_id bk_classification_name',
  },
  update_classification: {
    path: ({ classification }) => `/object/classification/${classification}`,
    body: () => ({}),
    optional: 'bk_supplier_account bk_classification_id bk_classification_name bk_classification_icon',
  },
  search_classifications: {
    path: () => '/object/classifications',
    ...conditions('bk_supplier_account bk_classification_id bk_classification_name'),
  },
  search_classification_objects: {
    path: () => '/object/classification/0/objects',
    ...conditions('bk_supplier_account bk_classification_id bk_classification_name'),
  },
  create_object: {
    path: () => '/object',
    body: () => ({ bk_obj_id: letters(), bk_obj_name: fresh('object'), bk_classification_id: 'bk_network' }),
    optional: 'bk_supplier_account bk_obj_icon',
    required: 'bk_obj_id bk_obj_name bk_classification_id',
  },
  update_object: {
    path: ({ object }) => `/object/${object}`,
    body: () => ({}),
    optional: 'bk_supplier_account bk_obj_id bk_obj_name bk_obj_icon bk_classification_id bk_ispaused',
  },
  search_objects: {
    path: () => '/objects',
    ...conditions('bk_supplier_account bk_obj_id bk_obj_name bk_classification_id'),
  },
  create_object_attribute: {
    path: () => '/object/attr',
    body: () => ({
      ...{ bk_obj_id: 'set', bk_property_id: letters(), bk_property_name: fresh('attribute'), bk_property_type: 'int' },
    }),
    optional: described,
    required: 'bk_obj_id bk_property_id bk_property_name bk_property_type',
  },
  update_object_attribute: {
    path: ({ attribute }) => `/object/attr/${attribute}`,
    body: () => ({}),
    optional: `${described} bk_obj_id bk_property_id bk_property_type bk_property_name`,
  },
  search_object_attributes: {
    path: () => '/object/attr/search',
    ...conditions('bk_supplier_account bk_obj_id bk_property_id bk_property_name bk_property_type bk_property_group'),
  },
  create_attribute_group: {
    path: () => '/objectatt/group/new',
    body: () => ({ bk_obj_id: 'set', bk_group_id: letters(), bk_group_name: fresh('group') }),
    optional: 'bk_supplier_account bk_group_index',
    required: 'bk_obj_id bk_group_id bk_group_name',
  },
  update_attribute_group: {
    path: () => '/objectatt/group/update',
    body: ({ attributeGroup }) => ({ condition: { id: attributeGroup }, data: {} }),
    optional: 'bk_supplier_account data.bk_group_name data.bk_group_index',
    required: 'condition condition.id data',
  },
  move_object_attributes: {
    path: () => '/objectatt/group/property',
    body: () => ({ data: [{ condition: { bk_obj_id: 'set', bk_property_id: 'bk_set_desc' }, data: {} }] }),
    optional:
      'bk_supplier_account data[].condition.bk_supplier_account data[].data.bk_property_group data[].data.bk_property_index',
    required: 'data data[].condition data[].condition.bk_obj_id data[].condition.bk_property_id data[].data',
  },
  search_host_favorite: { path: () => '/hosts/favorites/search', ...listed },
  create_host_favorite: {
    path: () => '/hosts/favorites',
    body: () => ({ name: fresh('favourite') }),
    optional: 'info query_params is_default',
    required: 'name',
  },
  update_host_favorite: {
    path: ({ favourite }) => `/hosts/favorites/${favourite}`,
    body: () => ({}),
    optional: 'name info query_params is_default',
    dialect: 'document',
  },
  create_host_history: { path: () => '/hosts/history', body: () => ({ content: '{}' }), required: 'content' },
  search_association_kind: {
    path: () => '/topo/association/type/action/search',
    body: (_, tested) => pageFor(tested),
    optional: 'condition page page.start page.limit',
  },
  create_association_kind: {
    path: () => '/topo/association/type/action/create',
    body: () => ({ bk_asst_id: letters() }),
    optional: 'bk_asst_name src_des dest_des direction',
    required: 'bk_asst_id',
  },
  update_association_kind: {
    path: ({ associationKind }) => `/topo/association/type/${associationKind}/action/update`,
    body: () => ({}),
    optional: 'bk_asst_name src_des dest_des direction',
  },
  search_object_association_by_kind: {
    path: () => '/topo/association/type/action/search/batch',
    body: () => ({ asst_ids: ['connect'] }),
    required: 'asst_ids',
  },
  create_object_association: {
    path: () => '/object/association/action/create',
    // Of two objects once.
    body: async ({ server }) => {
      const object = letters()
      const sent = { bk_obj_id: object, bk_obj_name: object, bk_classification_id: 'bk_network' }
      await server.call('POST', '/object', sent)
      return { bk_obj_asst_id: letters(), bk_obj_id: object, bk_asst_obj_id: 'host', bk_asst_id: 'connect' }
    },
    optional: 'bk_obj_asst_id bk_obj_asst_name mapping on_delete',
    required: 'bk_obj_id bk_asst_obj_id bk_asst_id',
  },
  search_object_association: {
    path: () => '/object/association/action/search',
    ...conditions('condition'),
  },
  update_object_association: {
    path: ({ objectAssociation }) => `/object/association/${objectAssociation.id}/action/update`,
    body: () => ({}),
    optional: 'bk_obj_asst_name bk_asst_id on_delete',
  },
  create_instance_association: {
    path: () => '/inst/association/action/create',
    body: async ({ server, objectAssociation }) => ({
      bk_obj_asst_id: objectAssociation.bk_obj_asst_id,
      bk_inst_id: await makeInstance(server, 'bk_switch', fresh('switch')),
      bk_asst_inst_id: await makeInstance(server, 'bk_router', fresh('router')),
    }),
    required: 'bk_obj_asst_id bk_inst_id bk_asst_inst_id',
  },
  search_instance_association: {
    path: () => '/inst/association/action/search',
    body: (_, tested) => pageFor(tested),
    optional: 'condition page page.start page.limit',
  },
  search_related_instance_association: {
    path: () => '/inst/association/related/action/search',
    body: ({ instance }, tested) => ({
      condition: { bk_obj_id: 'bk_switch', bk_inst_id: instance },
      ...pageFor(tested),
    }),
    optional: 'page page.start page.limit',
    required: 'condition condition.bk_obj_id condition.bk_inst_id',
  },
  search_inst_by_association: {
    path: () => '/inst/association/search/owner/0/object/bk_switch',
    ...search,
  },
  undo_change: {
    path: () => '/history/undo',
    body: ({ recorded }, tested) =>
      tested === 'positions' ? { request_id: recorded.requestId } : { positions: [recorded.position] },
    optional: 'txn_id request_id positions on_conflict',
  },
  get_diff: {
    path: () => '/history/diff',
    body: ({ business, instance }, tested) => ({
      ...(tested === 'bk_biz_id' ? { bk_obj_id: 'bk_switch', bk_inst_id: instance } : { bk_biz_id: business }),
      from: 'position:1',
      ...pageFor(tested),
    }),
    optional: 'bk_biz_id query_id bk_obj_id bk_inst_id to page page.start page.limit',
    required: 'from',
  },
  create_object_unique: {
    path: () => '/object/bk_router/unique/action/create',
    body: ({ server }) => ruleOf(server),
    optional: 'must_check',
    required: 'keys keys[].key_kind keys[].key_id',
  },
  update_object_unique: {
    path: ({ uniqueRule }) => `/object/bk_router/unique/${uniqueRule}/action/update`,
    body: ({ server }, tested) => (tested.startsWith('keys[]') ? ruleOf(server) : {}),
    optional: 'keys must_check',
    required: 'keys[].key_kind keys[].key_id',
  },
  watch_resource: {
    path: () => '/event/watch/resource/set',
    // Without a start it would wait for the next event.
    body: async ({ server }, tested) => {
      if (tested !== 'bk_start_from') return { bk_start_from: 1 }
      type Watched = { bk_events: { bk_cursor: string }[] }
      const { data } = await server.call<Watched>('POST', '/event/watch/resource/set', { bk_start_from: 1 })
      return { bk_cursor: data.bk_events[0]?.bk_cursor }
    },
    optional: 'bk_cursor bk_start_from bk_event_types bk_fields filter',
  },
  try_events: {
    path: () => '/event/try',
    body: () => ({ subscription_form: 'setcreate' }),
    optional: 'filter bk_biz_id since',
    required: 'subscription_form',
  },
  find_custom_query: {
    path: () => '/userapi/find/0',
    body: (_, tested) => pageFor(tested),
    optional: 'name page page.start page.limit',
  },
  preview_custom_query: {
    path: ({ business }) => `/userapi/preview/${business}`,
    body: () => ({ info: infoOf() }),
    optional: 'start limit',
    required: 'info',
  },
  search_mainline_node: {
    path: () => '/topo/node/search/0',
    body: (_, tested) => pageFor(tested),
    optional: 'name without_hosts page page.start page.limit',
  },
  rotate_subscription_secret: {
    path: ({ subscription }) => `/event/subscribe/0/0/${subscription}/secret`,
    body: () => ({}),
    optional: 'secret',
  },
  replay_subscription: {
    path: ({ subscription }) => `/event/subscribe/0/0/${subscription}/replay`,
    body: (_, tested) => (tested === 'dead_letters' ? { from_position: 1, to_position: 2 } : { dead_letters: true }),
    optional: 'dead_letters from_position to_position from_time to_time',
  },
  discard_subscription_dead_letters: {
    path: ({ subscription }) => `/event/subscribe/0/0/${subscription}/discard`,
    body: (_, tested) => ({ ...(tested === '' && { from_position: 1, to_position: 2 }) }),
    optional: 'from_position to_position',
  },
}

/** The level comes last: anything created directly under a business afterwards would have to be under the level. */
const { create_mainline_object: level, ...others } = documented
export const table: Record<string, Row> = { ...others, ...companions, ...(level && { create_mainline_object: level }) }
