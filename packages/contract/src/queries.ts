import Type from 'typebox'
import { anyone, inBusiness, inBusinessOfBody } from './allow.ts'
import { demo } from './demo.ts'
import { definitionBodyBytes, endpoint } from './endpoint.ts'
import {
  Account,
  AnyNumericId,
  Attributes,
  ConditionBody,
  Found,
  Id,
  JsonObject,
  Limit,
  Nothing,
  pageOfPath,
  Revision,
  Sort,
  Start,
  Text,
  WithRevision,
} from './vocabulary.ts'

export const QueryRecord = Type.Object({
  id: Type.String(),
  bk_biz_id: Type.Integer(),
  name: Type.String(),
  info: Type.String({ description: 'the query, JSON as text, byte for byte as it was saved' }),
  create_time: Type.String(),
  create_user: Type.String(),
  last_time: Type.String({ description: 'empty until the first update' }),
  modify_user: Type.String({ description: 'empty until the first update' }),
  bk_revision: Type.Optional(Revision),
})

export const HostRow = Type.Object({
  biz: Attributes,
  set: Attributes,
  module: Attributes,
  host: Attributes,
})

/** How a query was executed, for administrators. */
const Explanation = Type.Object({
  statements: Type.Array(
    Type.Object({
      what: Type.String(),
      sql: Type.String(),
      plan: Type.Array(Type.String()),
      milliseconds: Type.Number(),
    }),
  ),
})

export const Rows = Type.Object({
  count: Type.Integer({ description: 'how many hosts match, before paging' }),
  info: Type.Array(HostRow),
  explain: Type.Optional(Explanation),
})

const explain = { explain: 'true adds the statements, their plans and times; administrators only' }
const one = { bk_biz_id: Id, id: Text }
const saved = { bk_biz_id: demo.business, id: demo.queries[0] }
const after = {
  after: 'in place of start: hosts behind this bk_host_id, so that none is lost while others come and go',
}

const webServers = JSON.stringify({
  condition: [
    { bk_obj_id: 'set', fields: ['bk_set_name'], condition: [{ field: 'bk_set_env', operator: '$eq', value: '3' }] },
    {
      bk_obj_id: 'module',
      fields: ['bk_module_name'],
      condition: [{ field: 'bk_module_name', operator: '$in', value: ['web', 'nginx'] }],
    },
    { bk_obj_id: 'host', fields: ['bk_host_innerip', 'bk_host_name'], condition: [] },
  ],
})

export const createQuery = endpoint({
  name: 'create_custom_query',
  method: 'POST',
  effect: 'write',
  path: '/userapi',
  maxBodyBytes: definitionBodyBytes,
  area: 'Custom queries',
  summary: 'Save a query over the hosts of a business.',
  allow: inBusinessOfBody('customapi'),
  body: Type.Object({
    bk_biz_id: AnyNumericId,
    name: Type.String({ minLength: 1 }),
    info: Type.String({
      minLength: 1,
      description:
        'JSON as text: `condition` is a list with `bk_obj_id` (biz, set, module, host, object for levels, or an object that hosts are associated with), `fields` to show, and `condition` of field, operator and value',
    }),
  }),
  refuses: ['unknown', 'duplicate', 'notBoolean', 'filterMissing', 'tooMany', 'outOfBounds'],
  data: Type.Object({ id: Type.String() }),
  example: { body: { bk_biz_id: 2, name: 'web servers', info: webServers } },
})

export const updateQuery = endpoint({
  name: 'update_custom_query',
  method: 'PUT',
  effect: 'write',
  path: '/userapi/:bk_biz_id/:id',
  maxBodyBytes: definitionBodyBytes,
  area: 'Custom queries',
  summary: 'Update the name or the definition of a saved query; absent or empty fields stay unchanged.',
  allow: inBusiness('customapi'),
  conditional: true,
  params: one,
  body: Type.Object({
    name: Type.Optional(Type.String()),
    info: Type.Optional(Type.String()),
  }),
  refuses: ['unknown', 'duplicate', 'notBoolean', 'filterMissing', 'tooMany', 'outOfBounds'],
  data: Nothing,
  example: { params: saved, body: { name: 'gateways' } },
})

export const deleteQuery = endpoint({
  name: 'delete_custom_query',
  method: 'DELETE',
  effect: 'write',
  path: '/userapi/:bk_biz_id/:id',
  area: 'Custom queries',
  summary: 'Delete a saved query.',
  allow: inBusiness('customapi'),
  conditional: true,
  params: one,
  data: Nothing,
  example: { params: { bk_biz_id: demo.business, id: demo.queries[1] } },
})

export const searchQuery = endpoint({
  name: 'search_custom_query',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/userapi/search/:bk_biz_id',
  area: 'Custom queries',
  summary: 'Search saved queries of a business; names match as a substring.',
  allow: anyone,
  params: { bk_biz_id: Id },
  body: Type.Partial(
    Type.Object({
      condition: ConditionBody,
      start: Start,
      limit: Limit,
      sort: Sort,
      fields: WithRevision,
    }),
  ),
  data: Type.Object({ count: Type.Integer(), info: Type.Array(QueryRecord) }),
  example: { params: { bk_biz_id: 2 }, body: { condition: { name: 'web' }, start: 0, limit: 20 } },
})

export const findQueries = endpoint({
  name: 'find_custom_query',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/userapi/find/:bk_supplier_account',
  area: 'Custom queries',
  summary: 'Search saved queries by a part of their name, in all businesses that are not archived.',
  allow: anyone,
  params: { bk_supplier_account: Account },
  body: Type.Partial(
    Type.Object({
      name: Type.String({ maxLength: 256, description: 'a part of the name; ASCII letters match case-insensitively' }),
      page: Type.Partial(Type.Object({ start: Start, limit: Limit })),
    }),
  ),
  data: Found(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      bk_biz_id: Type.Integer(),
      bk_biz_name: Type.String(),
    }),
  ),
  example: { params: { bk_supplier_account: '0' }, body: { name: 'web', page: { start: 0, limit: 5 } } },
})

export const getQuery = endpoint({
  name: 'get_custom_query_detail',
  method: 'GET',
  effect: 'read',
  readsPast: true,
  path: '/userapi/detail/:bk_biz_id/:id',
  area: 'Custom queries',
  summary: 'Get one saved query.',
  allow: anyone,
  versioned: true,
  params: one,
  data: Type.Intersect([QueryRecord, Type.Object({ biz_id: Type.Integer(), creat_time: Type.String() })]),
  example: { params: saved },
})

export const runQuery = endpoint({
  name: 'get_custom_query_data',
  method: 'GET',
  effect: 'read',
  readsPast: true,
  path: '/userapi/data/:bk_biz_id/:id/:start/:limit',
  area: 'Custom queries',
  summary: 'Run a saved query: the hosts of the business that match, one row each.',
  allow: anyone,
  params: { ...one, ...pageOfPath },
  query: { ...explain, ...after },
  refuses: ['unknown', 'filterMissing', 'tooMany', 'notBoolean', 'notFloat'],
  data: Rows,
  example: { params: { ...saved, start: 0, limit: 20 } },
})

export const previewQuery = endpoint({
  name: 'preview_custom_query',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/userapi/preview/:bk_biz_id',
  area: 'Custom queries',
  summary: 'Run a query that has not been saved.',
  allow: anyone,
  maxBodyBytes: definitionBodyBytes,
  params: { bk_biz_id: Id },
  query: { ...explain, ...after },
  body: Type.Object({
    info: Type.Union([Type.String({ minLength: 1 }), JsonObject]),
    start: Type.Optional(Start),
    limit: Type.Optional(Limit),
  }),
  refuses: ['unknown', 'notBoolean', 'filterMissing', 'tooMany'],
  data: Rows,
  example: { params: { bk_biz_id: 2 }, body: { info: webServers, start: 0, limit: 20 } },
})
