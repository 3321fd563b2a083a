import Type, { type Static } from 'typebox'
import { anyone, byGroup } from './allow.ts'
import { Deleted, dryRun } from './dry-run.ts'
import { endpoint } from './endpoint.ts'
import { Account, Found, Id, Limit, ShortIdentifier, Start, Success, Text } from './vocabulary.ts'

export const ModelNode = Type.Object({
  bk_obj_id: Type.String(),
  bk_obj_name: Type.String(),
  bk_pre_obj_id: Type.String(),
  bk_pre_obj_name: Type.String(),
  bk_next_obj: Type.String(),
  bk_next_name: Type.String(),
  bk_supplier_account: Type.String(),
})

export const TopologyNode = Type.Cyclic(
  {
    TopologyNode: Type.Object({
      default: Type.Integer({ description: '1 the idle module, 2 the fault module, 0 otherwise' }),
      bk_inst_id: Type.Integer(),
      bk_inst_name: Type.String(),
      bk_obj_id: Type.String(),
      bk_obj_name: Type.String(),
      child: Type.Array(Type.Ref('TopologyNode'), { description: 'child nodes; empty for a module' }),
    }),
  },
  'TopologyNode',
)
export type TopologyNode = Static<typeof TopologyNode>

/** The effect of inserting a level, computed by a dry run. */
export const LevelPlan = Type.Object({
  creates: Type.Integer({ description: 'how many instances of the level would be created, one per instance above it' }),
  moves_count: Type.Integer({ description: 'how many instances would move below them' }),
})
export type LevelPlan = Static<typeof LevelPlan>

export const createLevel = endpoint({
  name: 'create_mainline_object',
  method: 'POST',
  effect: 'write',
  path: '/topo/model/mainline',
  area: 'Topology',
  summary: 'Insert a level into the main line, between an object and its child, in all businesses in one transaction.',
  allow: byGroup('model'),
  body: Type.Object({
    bk_classification_id: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'an existing one, or a new valid identifier',
    }),
    bk_obj_id: ShortIdentifier,
    bk_obj_name: Type.String({ minLength: 1, description: 'at most 20 characters' }),
    bk_asst_obj_id: Type.String({ minLength: 1, description: 'the object above: biz or a user-defined level' }),
    bk_supplier_account: Type.Optional(Type.String()),
    bk_obj_icon: Type.Optional(Type.String({ maxLength: 128 })),
  }),
  query: { dry_run: 'true tells what would be created and moved, and changes nothing' },
  refuses: ['duplicate', 'outOfBounds', 'unknown', 'tooManyLevels', 'tooMany'],
  data: Type.Union([Success, LevelPlan]),
  example: {
    body: {
      bk_classification_id: 'bk_biz_topo',
      bk_obj_id: 'zone',
      bk_obj_name: 'Zone',
      bk_asst_obj_id: 'biz',
      bk_supplier_account: '0',
    },
  },
})

export const deleteLevel = endpoint({
  name: 'delete_mainline_object',
  method: 'DELETE',
  effect: 'write',
  path: '/topo/model/mainline/owners/:bk_supplier_account/objectids/:bk_obj_id',
  area: 'Topology',
  summary: 'Remove a level from the main line; its children move up.',
  allow: byGroup('model'),
  params: { bk_supplier_account: Account, bk_obj_id: Text },
  query: dryRun,
  refuses: ['modelNotFound', 'sameNameBelow', 'builtInModel', 'objectAssociated'],
  data: Deleted,
  example: { params: { bk_supplier_account: '0', bk_obj_id: 'zone' } },
})

export const searchChain = endpoint({
  name: 'search_mainline_object',
  method: 'GET',
  effect: 'read',
  readsPast: true,
  path: '/topo/model/:bk_supplier_account',
  area: 'Topology',
  summary: 'List the main line from business to host.',
  allow: anyone,
  params: { bk_supplier_account: Account },
  data: Type.Array(ModelNode),
  example: { params: { bk_supplier_account: '0' } },
})

export const getTree = endpoint({
  name: 'get_inst_topo',
  method: 'GET',
  effect: 'read',
  readsPast: true,
  path: '/topo/inst/:bk_supplier_account/:bk_biz_id',
  area: 'Topology',
  summary: 'Get the tree of a business. Responds with 304 to a matching If-None-Match.',
  allow: anyone,
  params: { bk_supplier_account: Account, bk_biz_id: Id },
  query: {
    with_default: 'true shows the built-in idle pool, too',
    level: 'how deep: 0 the business alone, 1 its children, and so on; -1 or absent: all',
  },
  data: Type.Array(TopologyNode),
  etag: true,
  example: { params: { bk_supplier_account: '0', bk_biz_id: 2 } },
})

export const getSubtree = endpoint({
  name: 'search_inst_topo',
  method: 'GET',
  effect: 'read',
  readsPast: true,
  path: '/topo/inst/child/:bk_supplier_account/:bk_obj_id/:bk_biz_id/:bk_inst_id',
  area: 'Topology',
  summary:
    'Get an instance with its whole subtree; empty if there is no such instance in the business. Responds with 304 to a matching If-None-Match.',
  allow: anyone,
  params: { bk_supplier_account: Account, bk_obj_id: Text, bk_biz_id: Id, bk_inst_id: Id },
  data: Type.Array(TopologyNode),
  etag: true,
  example: { params: { bk_supplier_account: '0', bk_obj_id: 'set', bk_biz_id: 2, bk_inst_id: 3 } },
})

export const getInternal = endpoint({
  name: 'get_internal_topo',
  method: 'GET',
  effect: 'read',
  readsPast: true,
  path: '/topo/internal/:bk_supplier_account/:bk_biz_id',
  area: 'Topology',
  summary: 'Get the built-in idle pool of a business with its idle and fault modules.',
  allow: anyone,
  params: { bk_supplier_account: Account, bk_biz_id: Id },
  data: Type.Object({
    bk_set_id: Type.Integer(),
    bk_set_name: Type.String(),
    module: Type.Array(Type.Object({ bk_module_id: Type.Integer(), bk_module_name: Type.String() })),
  }),
  example: { params: { bk_supplier_account: '0', bk_biz_id: 2 } },
})

export const searchNodes = endpoint({
  name: 'search_mainline_node',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/topo/node/search/:bk_supplier_account',
  area: 'Topology',
  summary:
    'Search levels, sets and modules by a part of their name, in all businesses that are not archived; idle pools are omitted.',
  allow: anyone,
  params: { bk_supplier_account: Account },
  body: Type.Partial(
    Type.Object({
      name: Type.String({ maxLength: 256, description: 'a part of the name; ASCII letters match case-insensitively' }),
      without_hosts: Type.Boolean({ description: 'true: only modules without hosts' }),
      page: Type.Partial(Type.Object({ start: Start, limit: Limit })),
    }),
  ),
  data: Found(
    Type.Object({
      bk_obj_id: Type.String(),
      bk_obj_name: Type.String(),
      bk_inst_id: Type.Integer(),
      bk_inst_name: Type.String(),
      bk_parent_name: Type.String({ description: 'name of its parent' }),
      bk_biz_id: Type.Integer(),
      bk_biz_name: Type.String(),
    }),
  ),
  example: { params: { bk_supplier_account: '0' }, body: { name: 'check', page: { start: 0, limit: 5 } } },
})

export const getBusinessHostCounts = endpoint({
  name: 'get_business_host_count',
  method: 'GET',
  effect: 'read',
  readsPast: true,
  path: '/topo/hostcount/:bk_supplier_account',
  area: 'Topology',
  summary: 'Count the hosts of each business, including the resource pool.',
  allow: anyone,
  params: { bk_supplier_account: Account },
  data: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
    description: 'by bk_biz_id; businesses without hosts and archived ones are omitted',
  }),
  example: { params: { bk_supplier_account: '0' } },
})

export const getHostCounts = endpoint({
  name: 'get_topo_host_count',
  method: 'GET',
  effect: 'read',
  readsPast: true,
  path: '/topo/hostcount/:bk_supplier_account/:bk_biz_id',
  area: 'Topology',
  summary:
    'Count the hosts of each instance of a business, including the idle pool. A host in several modules counts once in their ancestors.',
  allow: anyone,
  params: { bk_supplier_account: Account, bk_biz_id: Id },
  data: Type.Record(Type.String(), Type.Record(Type.String(), Type.Integer({ minimum: 1 })), {
    description: 'by bk_obj_id, then by bk_inst_id; instances without hosts are omitted',
  }),
  example: { params: { bk_supplier_account: '0', bk_biz_id: 2 } },
})
