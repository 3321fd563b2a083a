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
  OptionalPage,
  Revision,
  Success,
  shaped,
  Timestamp,
} from './vocabulary.ts'

const presets = {
  bk_module_type: attribute('1 normal (default), 2 database'),
  operator: attribute('maintainers, a comma list of user names'),
  bk_bak_operator: attribute('their deputies, a comma list of user names'),
}

export const ModuleRecord = Type.Object(
  {
    bk_module_id: Type.Integer(),
    bk_module_name: Type.String(),
    bk_set_id: Type.Integer(),
    bk_parent_id: Type.Integer({ description: 'the set, as bk_set_id' }),
    bk_biz_id: Type.Integer(),
    bk_supplier_account: Type.String(),
    default: Type.Integer({ description: '1 for the idle module, 2 for the fault module, else 0' }),
    bk_module_type: Type.Union([Type.String(), Type.Null()]),
    operator: Type.String(),
    bk_bak_operator: Type.String(),
    create_time: Timestamp,
    last_time: Timestamp,
    bk_revision: Type.Optional(Revision),
  },
  { additionalProperties: true },
)
export type ModuleRecord = Static<typeof ModuleRecord>

const inSet = { bk_biz_id: Id, bk_set_id: Id }
const one = { ...inSet, bk_module_id: Id }

export const createModule = endpoint({
  name: 'create_module',
  method: 'POST',
  effect: 'write',
  path: '/module/:bk_biz_id/:bk_set_id',
  area: 'Modules',
  summary: 'Create a module in a set.',
  allow: inBusiness('topoupdate'),
  params: inSet,
  body: attributesOf({ bk_module_name: shaped(Type.String(), 'module name, unique in the set'), ...presets }),
  refuses: ['duplicate'],
  data: ModuleRecord,
  example: { params: { bk_biz_id: 2, bk_set_id: 3 }, body: { bk_module_name: 'gateway', bk_module_type: '1' } },
})

export const updateModule = endpoint({
  name: 'update_module',
  method: 'PUT',
  effect: 'write',
  path: '/module/:bk_biz_id/:bk_set_id/:bk_module_id',
  area: 'Modules',
  summary: 'Update attributes of a module.',
  allow: inBusiness('topoupdate'),
  conditional: true,
  params: one,
  body: attributesOf({ bk_module_name: attribute('module name'), ...presets }),
  refuses: ['duplicate', 'setProtected'],
  data: Success,
  example: { params: { bk_biz_id: 2, bk_set_id: 3, bk_module_id: 5 }, body: { operator: 'amy' } },
})

export const deleteModule = endpoint({
  name: 'delete_module',
  method: 'DELETE',
  effect: 'write',
  path: '/module/:bk_biz_id/:bk_set_id/:bk_module_id',
  area: 'Modules',
  summary: 'Delete a module without hosts.',
  allow: inBusiness('topoupdate'),
  conditional: true,
  params: one,
  query: dryRun,
  refuses: ['hostsUnder', 'setProtected', 'instanceAssociated'],
  data: Deleted,
  example: { params: { bk_biz_id: 6, bk_set_id: 27, bk_module_id: 60 } },
})

export const searchModule = endpoint({
  name: 'search_module',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/module/search/:bk_supplier_account/:bk_biz_id/:bk_set_id',
  area: 'Modules',
  summary: 'Search modules of a set.',
  allow: anyone,
  params: { bk_supplier_account: Account, ...inSet },
  body: Type.Partial(Type.Object({ page: OptionalPage, fields: FieldNames, condition: ConditionBody })),
  data: Found(ModuleRecord),
  example: {
    params: { bk_supplier_account: '0', bk_biz_id: 2, bk_set_id: 3 },
    body: { page: { start: 0, limit: 20 }, fields: ['bk_module_id', 'bk_module_name'], condition: {} },
  },
})
