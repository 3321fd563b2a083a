import Type from 'typebox'
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
  Success,
  Text,
  Timestamp,
} from './vocabulary.ts'

export const InstanceRecord = Type.Object(
  {
    bk_inst_id: Type.Integer(),
    bk_inst_name: Type.String(),
    bk_parent_id: Type.Integer({ description: 'the instance above on the main line; 0 outside it' }),
    bk_biz_id: Type.Integer({ description: 'the business of an instance of the main line; 0 outside it' }),
    bk_supplier_account: Type.String(),
    default: Type.Integer(),
    bk_obj_id: Type.String(),
    creator: Type.String(),
    create_time: Timestamp,
    last_time: Timestamp,
  },
  { additionalProperties: true },
)

const ofObject = { bk_supplier_account: Account, bk_obj_id: Text }
const one = { ...ofObject, bk_inst_id: Id }

export const createInstance = endpoint({
  name: 'create_inst',
  method: 'POST',
  path: '/inst/:bk_supplier_account/:bk_obj_id',
  area: 'Instances',
  summary: 'Create an instance of a level of the main line, or of an object beside it.',
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
  path: '/inst/:bk_supplier_account/:bk_obj_id/batch',
  area: 'Instances',
  summary: 'Delete several instances with everything below them: all of them or none.',
  allow: ofInstances('delete'),
  params: ofObject,
  query: dryRun,
  body: Type.Object({ delete: Type.Object({ inst_ids: Type.Array(Id, { minItems: 1, maxItems: 200 }) }) }),
  refuses: ['notFound', 'modelNotFound', 'hostsUnder', 'modelPaused', 'instanceAssociated'],
  data: Deleted,
  example: {
    params: { bk_supplier_account: '0', bk_obj_id: 'bk_switch' },
    body: { delete: { inst_ids: [22] } },
  },
})

export const updateInstance = endpoint({
  name: 'update_inst',
  method: 'PUT',
  path: '/inst/:bk_supplier_account/:bk_obj_id/:bk_inst_id',
  area: 'Instances',
  summary: 'Change attributes of an instance.',
  allow: ofInstances('update'),
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
  path: '/inst/:bk_supplier_account/:bk_obj_id/:bk_inst_id',
  area: 'Instances',
  summary: 'Delete an instance; on the main line with everything below it, unless hosts are there.',
  allow: ofInstances('delete'),
  params: one,
  query: dryRun,
  refuses: ['notFound', 'modelNotFound', 'hostsUnder', 'modelPaused', 'instanceAssociated'],
  data: Deleted,
  example: { params: { bk_supplier_account: '0', bk_obj_id: 'bk_switch', bk_inst_id: 21 } },
})

export const searchInstance = endpoint({
  name: 'search_inst',
  method: 'POST',
  path: '/inst/search/owner/:bk_supplier_account/object/:bk_obj_id',
  area: 'Instances',
  summary: 'Find instances of an object; on the main line those of living businesses.',
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
