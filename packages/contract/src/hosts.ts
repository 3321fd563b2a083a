import Type from 'typebox'
import { anyone, byGroup, inBusinessOfBody, ofHosts, placingHosts } from './allow.ts'
import { endpoint, rowsBodyBytes } from './endpoint.ts'
import {
  Account,
  Attributes,
  AttributeValue,
  attribute,
  attributesOf,
  Id,
  JsonValue,
  Limit,
  Nothing,
  NumericId,
  Revision,
  Sort,
  Start,
  selectionOf,
  Timestamp,
} from './vocabulary.ts'

/** Maximum number of hosts in one request. */
export const mostHosts = 5_000

export const HostRecord = Type.Object(
  {
    bk_host_id: Type.Integer(),
    bk_host_innerip: Type.String({ description: 'an address or a comma list of them' }),
    bk_cloud_id: Type.Integer({ description: 'cloud area; together with the inner addresses it identifies a host' }),
    bk_host_name: Type.String(),
    bk_os_type: Type.Union([Type.String(), Type.Null()]),
    operator: Type.String(),
    bk_supplier_account: Type.String(),
    create_time: Timestamp,
    last_time: Timestamp,
    bk_revision: Type.Optional(Revision),
  },
  { additionalProperties: true },
)

const presets = {
  bk_host_innerip: attribute('IPv4 or IPv6, or a comma list of them; required for a new host'),
  bk_cloud_id: attribute('cloud area, default 0', Type.Integer()),
  bk_host_name: attribute('host name'),
  bk_os_type: attribute('1 Linux, 2 Windows, 3 AIX'),
  operator: attribute('maintainers, a comma list of user names'),
}

export const HostAttributes = attributesOf(presets)

const HostRows = Type.Record(Type.String(), HostAttributes, {
  description: `row number to the attributes of a host, at most ${mostHosts} rows`,
})

/** The result of each row. */
export const AddReport = Type.Object({
  success: Type.Array(Type.String(), { description: 'rows that were added or updated' }),
  error: Type.Array(Type.String(), { description: 'rows that could not be added, each with the reason' }),
  update_error: Type.Array(Type.String(), { description: 'rows that could not be updated, each with the reason' }),
  hosts: Type.Record(Type.String(), Type.Integer(), { description: 'row to the bk_host_id of its host' }),
})

export const addHosts = endpoint({
  name: 'add_host',
  method: 'POST',
  effect: 'write',
  path: '/hosts/add',
  maxBodyBytes: rowsBodyBytes,
  area: 'Hosts',
  summary:
    'Add hosts to the resource pool, or to the idle module of a business. A host with the same inner address and cloud area is updated. Valid rows are kept; if any row fails, the response is a failure whose data lists the rows.',
  allow: placingHosts,
  body: Type.Object({
    bk_supplier_account: Type.Optional(Account),
    bk_biz_id: Type.Optional(Type.Union([NumericId, Type.Literal(0)])),
    host_info: HostRows,
  }),
  refuses: ['hostNotCreated', 'tooMany', 'noCloudArea'],
  data: AddReport,
  example: { body: { host_info: { 1: { bk_host_innerip: '10.9.0.1', bk_cloud_id: 0, bk_host_name: 'db-9' } } } },
})

export const addHostsToModules = endpoint({
  name: 'sync_new_host',
  method: 'POST',
  effect: 'write',
  path: '/hosts/sync/new/host',
  maxBodyBytes: rowsBodyBytes,
  area: 'Hosts',
  summary: 'Add hosts directly to modules of a business: all of them or none. Existing hosts are updated and moved.',
  allow: inBusinessOfBody('hosttrans'),
  body: Type.Object({
    bk_supplier_account: Type.Optional(Account),
    bk_biz_id: NumericId,
    bk_module_id: Type.Array(NumericId, { minItems: 1, maxItems: 200 }),
    host_info: HostRows,
  }),
  refuses: ['hostNotCreated', 'moduleNotFound', 'noCloudArea', 'hostElsewhere'],
  data: AddReport,
  example: {
    body: { bk_biz_id: 2, bk_module_id: [9], host_info: { 1: { bk_host_innerip: '10.9.0.2', bk_cloud_id: 0 } } },
  },
})

const HostIdList = Type.Union([Type.String({ minLength: 1 }), Id, Type.Array(NumericId, { minItems: 1 })], {
  description: 'bk_host_id of the hosts: "1,2,3", one number, or an array',
})

export const updateHosts = endpoint({
  name: 'update_host',
  method: 'PUT',
  effect: 'write',
  path: '/hosts/batch',
  area: 'Hosts',
  summary: 'Update attributes of hosts: all of them or none.',
  allow: ofHosts('hostupdate'),
  conditional: true,
  body: attributesOf({ bk_supplier_account: Type.Optional(Account), bk_host_id: HostIdList, ...presets }),
  refuses: ['hostNotFound', 'duplicate', 'noCloudArea'],
  data: Nothing,
  example: { body: { bk_host_id: '1,2', operator: 'amy' } },
})

export const deleteHosts = endpoint({
  name: 'delete_host',
  method: 'DELETE',
  effect: 'write',
  path: '/hosts/batch',
  area: 'Hosts',
  summary: 'Delete hosts of the resource pool: all of them or none.',
  allow: byGroup('resource'),
  conditional: true,
  body: Type.Object({ bk_supplier_account: Type.Optional(Account), bk_host_id: HostIdList }),
  refuses: ['hostNotDeleted', 'hostNotFound', 'instanceAssociated'],
  data: Nothing,
  example: { body: { bk_host_id: '456,457' } },
})

export const getHost = endpoint({
  name: 'get_host_detail',
  method: 'GET',
  effect: 'read',
  readsPast: true,
  path: '/hosts/:bk_supplier_account/:bk_host_id',
  area: 'Hosts',
  summary: 'All attributes of a host, each with its name in the language of the caller.',
  allow: anyone,
  versioned: true,
  params: { bk_supplier_account: Account, bk_host_id: Id },
  refuses: ['hostNotFound'],
  data: Type.Array(
    Type.Object({ bk_property_id: Type.String(), bk_property_name: Type.String(), bk_property_value: AttributeValue }),
  ),
  example: { params: { bk_supplier_account: '0', bk_host_id: 1 } },
})

export const getSnapshot = endpoint({
  name: 'get_host_snapshot',
  method: 'GET',
  effect: 'read',
  path: '/hosts/snapshot/:bk_host_id',
  area: 'Hosts',
  summary: 'Host snapshot: always null, since no agent reports to this service.',
  allow: anyone,
  params: { bk_host_id: Id },
  data: Nothing,
  example: { params: { bk_host_id: 1 } },
})

const FilterList = Type.Array(
  Type.Object({ field: Type.String(), operator: Type.String(), value: Type.Optional(JsonValue) }),
)
export const KindConditions = Type.Array(
  Type.Object({
    bk_obj_id: Type.String({ description: 'biz, set, module, host, object or plat' }),
    fields: Type.Optional(Type.Array(Type.String())),
    condition: Type.Optional(FilterList),
  }),
  { maxItems: 50 },
)

export const searchHosts = endpoint({
  name: 'search_host',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/hosts/search',
  area: 'Hosts',
  summary: 'Search hosts by their attributes, placement and addresses.',
  allow: anyone,
  body: Type.Partial(
    Type.Object({
      bk_supplier_account: Account,
      bk_biz_id: Type.Union([Type.Integer(), Type.String()], {
        description: 'only hosts of this business; absent, 0 or -1: of all businesses',
      }),
      ip: Type.Partial(
        Type.Object({
          data: Type.Array(Type.String(), { maxItems: 10_000 }),
          exact: Type.Union([Type.Literal(0), Type.Literal(1)], { description: '1 whole addresses, 0 substrings' }),
          flag: Type.String({ description: 'bk_host_innerip, bk_host_outerip, or both separated by |' }),
        }),
      ),
      condition: KindConditions,
      page: Type.Partial(
        Type.Object({
          start: Start,
          limit: Limit,
          sort: Sort,
          after: Type.Integer({
            minimum: 0,
            maximum: Number.MAX_SAFE_INTEGER,
            description: 'instead of start: hosts after this bk_host_id, so that no host is missed while others move',
          }),
        }),
      ),
    }),
  ),
  refuses: ['unknown', 'filterMissing', 'tooMany'],
  data: Type.Object({
    count: Type.Integer(),
    info: Type.Array(
      Type.Object({
        host: selectionOf(HostRecord),
        biz: Type.Array(Attributes),
        set: Type.Array(Attributes),
        module: Type.Array(Attributes, {
          description:
            'each with TopModuleName, "business##set##module"; with bk_path among its fields also the names from below the business to the module, levels included: "level##set##module"',
        }),
      }),
    ),
  }),
  example: {
    body: {
      bk_biz_id: 2,
      ip: { data: [], exact: 1, flag: 'bk_host_innerip|bk_host_outerip' },
      condition: [
        { bk_obj_id: 'module', fields: [], condition: [{ field: 'bk_module_name', operator: '$eq', value: 'web' }] },
        { bk_obj_id: 'host', fields: ['bk_host_innerip', 'bk_host_name'], condition: [] },
      ],
      page: { start: 0, limit: 20, sort: 'bk_host_innerip' },
    },
  },
})
