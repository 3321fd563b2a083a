import Type, { type Static } from 'typebox'
import { anyone, inBusiness } from './allow.ts'
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
  NumericId,
  Page,
  Revision,
  Success,
  shaped,
  Timestamp,
} from './vocabulary.ts'

const presets = {
  bk_capacity: attribute('design capacity', Type.Integer()),
  description: attribute('remark'),
  bk_service_status: attribute('1 open (default), 2 close'),
  bk_set_env: attribute('1 test, 2 experience, 3 formal (default)'),
  bk_set_desc: attribute('set description'),
}

export const SetRecord = Type.Object(
  {
    bk_set_id: Type.Integer(),
    bk_set_name: Type.String(),
    bk_parent_id: Type.Integer(),
    bk_biz_id: Type.Integer(),
    bk_supplier_account: Type.String(),
    default: Type.Integer({ description: '1 for the built-in idle pool, else 0' }),
    bk_capacity: Type.Union([Type.Integer(), Type.Null()]),
    description: Type.String(),
    bk_service_status: Type.Union([Type.String(), Type.Null()]),
    bk_set_env: Type.Union([Type.String(), Type.Null()]),
    bk_set_desc: Type.String(),
    create_time: Timestamp,
    last_time: Timestamp,
    bk_revision: Type.Optional(Revision),
  },
  { additionalProperties: true },
)
export type SetRecord = Static<typeof SetRecord>

export const createSet = endpoint({
  name: 'create_set',
  method: 'POST',
  effect: 'write',
  path: '/set/:bk_biz_id',
  area: 'Sets',
  summary: 'Create a set under a business or a main-line instance.',
  allow: inBusiness('topoupdate'),
  params: { bk_biz_id: Id },
  body: attributesOf({
    bk_parent_id: NumericId,
    bk_biz_id: NumericId,
    bk_supplier_account: Account,
    bk_set_name: shaped(Type.String(), 'set name'),
    ...presets,
  }),
  refuses: ['duplicate'],
  data: SetRecord,
  example: {
    params: { bk_biz_id: 2 },
    body: {
      bk_parent_id: 4,
      bk_biz_id: 2,
      bk_supplier_account: '0',
      bk_set_name: 'payments',
      bk_capacity: 200,
      bk_set_env: '3',
    },
  },
})

export const batchDeleteSet = endpoint({
  name: 'batch_delete_set',
  method: 'DELETE',
  effect: 'write',
  path: '/set/:bk_biz_id/batch',
  area: 'Sets',
  summary: 'Delete several sets with their modules: all of them or none.',
  allow: inBusiness('topoupdate'),
  conditional: true,
  params: { bk_biz_id: Id },
  query: dryRun,
  body: Type.Object({ delete: Type.Object({ inst_ids: Type.Array(Id, { minItems: 1, maxItems: 200 }) }) }),
  refuses: ['hostsUnder', 'setProtected', 'instanceAssociated'],
  data: Deleted,
  example: { params: { bk_biz_id: 6 }, body: { delete: { inst_ids: [30] } } },
})

export const deleteSet = endpoint({
  name: 'delete_set',
  method: 'DELETE',
  effect: 'write',
  path: '/set/:bk_biz_id/:bk_set_id',
  area: 'Sets',
  summary: 'Delete a set with its modules.',
  allow: inBusiness('topoupdate'),
  conditional: true,
  params: { bk_biz_id: Id, bk_set_id: Id },
  query: dryRun,
  refuses: ['hostsUnder', 'setProtected', 'instanceAssociated'],
  data: Deleted,
  example: { params: { bk_biz_id: 6, bk_set_id: 31 } },
})

export const updateSet = endpoint({
  name: 'update_set',
  method: 'PUT',
  effect: 'write',
  path: '/set/:bk_biz_id/:bk_set_id',
  area: 'Sets',
  summary: 'Update attributes of a set.',
  allow: inBusiness('topoupdate'),
  conditional: true,
  params: { bk_biz_id: Id, bk_set_id: Id },
  body: attributesOf({
    bk_biz_id: NumericId,
    bk_set_name: attribute('set name'),
    ...presets,
  }),
  refuses: ['duplicate', 'setProtected'],
  data: Success,
  example: { params: { bk_biz_id: 2, bk_set_id: 7 }, body: { bk_biz_id: 2, bk_capacity: 300 } },
})

export const searchSet = endpoint({
  name: 'search_set',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/set/search/:bk_supplier_account/:bk_biz_id',
  area: 'Sets',
  summary: 'Search sets of a business.',
  allow: anyone,
  params: { bk_supplier_account: Account, bk_biz_id: Id },
  body: Type.Object({ page: Page, fields: FieldNames, condition: ConditionBody }),
  data: Found(SetRecord),
  example: {
    params: { bk_supplier_account: '0', bk_biz_id: 2 },
    body: {
      page: { start: 0, limit: 20, sort: 'bk_set_name' },
      fields: ['bk_set_id', 'bk_set_name'],
      condition: { bk_set_env: '3' },
    },
  },
})
