import Type, { type Static } from 'typebox'
import { ofInstances } from './allow.ts'
import { Deleted, dryRun } from './dry-run.ts'
import { endpoint } from './endpoint.ts'
import {
  Account,
  attribute,
  attributesOf,
  ConditionBody,
  FieldNames,
  Found,
  Id,
  OptionalPage,
  Revision,
  Success,
  Text,
  Timestamp,
} from './vocabulary.ts'

export const InstanceRecord = Type.Object(
  {
    bk_inst_id: Type.Integer(),
    bk_inst_name: Type.Optional(Type.String({ description: 'absent in a cloud area, which has bk_cloud_name' })),
    bk_cloud_name: Type.Optional(Type.String({ description: 'of a cloud area, the object plat' })),
    bk_cloud_id: Type.Optional(Type.Integer({ description: 'of a cloud area, the same as bk_inst_id' })),
    bk_parent_id: Type.Integer({ description: 'the instance above on the main line; 0 outside it' }),
    bk_biz_id: Type.Integer({ description: 'the business of an instance of the main line; 0 outside it' }),
    bk_supplier_account: Type.String(),
    default: Type.Integer(),
    bk_obj_id: Type.String(),
    creator: Type.String(),
    create_time: Timestamp,
    last_time: Timestamp,
    bk_revision: Type.Optional(Revision),
  },
  { additionalProperties: true },
)
export type InstanceRecord = Static<typeof InstanceRecord>

const ofObject = { bk_supplier_account: Account, bk_obj_id: Text }
const one = { ...ofObject, bk_inst_id: Id }

export const createInstance = endpoint({
  name: 'create_inst',
  method: 'POST',
  effect: 'write',
  path: '/inst/:bk_supplier_account/:bk_obj_id',
  area: 'Instances',
  summary: 'Create an instance of a main-line level, or of another object.',
  allow: ofInstances('create'),
  params: ofObject,
  body: attributesOf({
    bk_inst_name: attribute('unique under its parent; outside the main line, in the account'),
    bk_cloud_name: attribute('the name of a cloud area, the object plat, in place of bk_inst_name'),
    bk_biz_id: attribute('the business; needed on the main line, ignored elsewhere', Type.Integer()),
    bk_parent_id: attribute('the instance above; needed on the main line, ignored elsewhere', Type.Integer()),
  }),
  refuses: ['modelNotFound', 'duplicate', 'modelPaused'],
  data: InstanceRecord,
  example: { params: { bk_supplier_account: '0', bk_obj_id: 'bk_switch' }, body: { bk_inst_name: 'core-9' } },
})

export const batchDeleteInstance = endpoint({
  name: 'batch_delete_inst',
  method: 'DELETE',
  effect: 'write',
  path: '/inst/:bk_supplier_account/:bk_obj_id/batch',
  area: 'Instances',
  summary: 'Delete several instances with everything below them: all of them or none.',
  allow: ofInstances('delete'),
  conditional: true,
  params: ofObject,
  query: dryRun,
  body: Type.Object({ delete: Type.Object({ inst_ids: Type.Array(Id, { minItems: 1, maxItems: 200 }) }) }),
  refuses: ['notFound', 'modelNotFound', 'hostsUnder', 'modelPaused', 'instanceAssociated', 'tooMany'],
  data: Deleted,
  example: {
    params: { bk_supplier_account: '0', bk_obj_id: 'bk_switch' },
    body: { delete: { inst_ids: [22] } },
  },
})

export const updateInstance = endpoint({
  name: 'update_inst',
  method: 'PUT',
  effect: 'write',
  path: '/inst/:bk_supplier_account/:bk_obj_id/:bk_inst_id',
  area: 'Instances',
  summary: 'Update attributes of an instance.',
  allow: ofInstances('update'),
  conditional: true,
  params: one,
  body: attributesOf({ bk_inst_name: attribute('instance name') }),
  refuses: ['notFound', 'modelNotFound', 'duplicate', 'modelPaused'],
  data: Success,
  example: {
    params: { bk_supplier_account: '0', bk_obj_id: 'bk_switch', bk_inst_id: 20 },
    body: { bk_inst_name: 'spine-1' },
  },
})

export const deleteInstance = endpoint({
  name: 'delete_inst',
  method: 'DELETE',
  effect: 'write',
  path: '/inst/:bk_supplier_account/:bk_obj_id/:bk_inst_id',
  area: 'Instances',
  summary: 'Delete an instance; on the main line with everything below it, if that contains no hosts.',
  allow: ofInstances('delete'),
  conditional: true,
  params: one,
  query: dryRun,
  refuses: ['notFound', 'modelNotFound', 'hostsUnder', 'modelPaused', 'instanceAssociated', 'tooMany'],
  data: Deleted,
  example: { params: { bk_supplier_account: '0', bk_obj_id: 'bk_switch', bk_inst_id: 21 } },
})

export const searchInstance = endpoint({
  name: 'search_inst',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/inst/search/owner/:bk_supplier_account/object/:bk_obj_id',
  area: 'Instances',
  summary: 'Search instances of an object; on the main line those of businesses that are not archived.',
  allow: ofInstances('search'),
  params: ofObject,
  body: Type.Partial(Type.Object({ page: OptionalPage, fields: FieldNames, condition: ConditionBody })),
  refuses: ['modelNotFound'],
  data: Found(InstanceRecord),
  example: {
    params: { bk_supplier_account: '0', bk_obj_id: 'bk_switch' },
    body: { page: { start: 0, limit: 20 }, fields: ['bk_inst_id', 'bk_inst_name'], condition: {} },
  },
})
