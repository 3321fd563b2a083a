import Type, { type Static } from 'typebox'
import { administrator, anyone, ofBusiness } from './allow.ts'
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

const roles = {
  bk_biz_maintainer: attribute('maintainers, a comma list of user names; defaults to the caller'),
  bk_biz_productor: attribute('product managers'),
  bk_biz_tester: attribute('testers'),
  bk_biz_developer: attribute('developers'),
  operator: attribute('operators'),
}
const presets = {
  life_cycle: attribute('1 testing, 2 online (default), 3 offline'),
  time_zone: attribute('default Asia/Shanghai'),
  language: attribute('1 Chinese (default), 2 English'),
  ...roles,
}

export const BusinessRecord = Type.Object(
  {
    bk_biz_id: Type.Integer(),
    bk_biz_name: Type.String(),
    bk_supplier_account: Type.String(),
    default: Type.Integer({ description: '1 for the resource pool, else 0' }),
    bk_data_status: Type.String({ description: 'enable, or disabled when archived' }),
    life_cycle: Type.Union([Type.String(), Type.Null()]),
    time_zone: Type.String(),
    language: Type.String(),
    bk_biz_maintainer: Type.String(),
    bk_biz_productor: Type.String(),
    bk_biz_tester: Type.String(),
    bk_biz_developer: Type.String(),
    operator: Type.String(),
    create_time: Timestamp,
    last_time: Timestamp,
    bk_revision: Type.Optional(Revision),
  },
  { additionalProperties: true },
)
export type BusinessRecord = Static<typeof BusinessRecord>

const one = { bk_supplier_account: Account, bk_biz_id: Id }
const SearchBody = Type.Object({
  page: Type.Optional(OptionalPage),
  fields: Type.Optional(FieldNames),
  condition: Type.Optional(ConditionBody),
})

export const createBusiness = endpoint({
  name: 'create_business',
  method: 'POST',
  effect: 'write',
  path: '/biz/:bk_supplier_account',
  area: 'Businesses',
  summary: 'Create a business with its idle pool.',
  allow: administrator,
  params: { bk_supplier_account: Account },
  body: attributesOf({ bk_biz_name: shaped(Type.String(), 'unique among the living businesses'), ...presets }),
  refuses: ['duplicate'],
  data: BusinessRecord,
  example: { params: { bk_supplier_account: '0' }, body: { bk_biz_name: 'Returns', bk_biz_maintainer: 'amy,ben' } },
})

export const updateBusiness = endpoint({
  name: 'update_business',
  method: 'PUT',
  effect: 'write',
  path: '/biz/:bk_supplier_account/:bk_biz_id',
  area: 'Businesses',
  summary: 'Update attributes of a business.',
  allow: ofBusiness,
  conditional: true,
  params: one,
  body: attributesOf({ bk_biz_name: attribute('unique among the living businesses'), ...presets }),
  refuses: ['duplicate', 'businessProtected'],
  data: Success,
  example: { params: { bk_supplier_account: '0', bk_biz_id: 2 }, body: { bk_biz_tester: 'chen' } },
})

export const archiveBusiness = endpoint({
  name: 'archive_business',
  method: 'PUT',
  effect: 'write',
  path: '/biz/status/disabled/:bk_supplier_account/:bk_biz_id',
  area: 'Businesses',
  summary: 'Archive a business without hosts.',
  allow: administrator,
  conditional: true,
  params: one,
  refuses: ['hostsUnder', 'businessProtected'],
  data: Success,
  example: { params: { bk_supplier_account: '0', bk_biz_id: 7 } },
})

export const recoverBusiness = endpoint({
  name: 'recover_business',
  method: 'PUT',
  effect: 'write',
  path: '/biz/status/enable/:bk_supplier_account/:bk_biz_id',
  area: 'Businesses',
  summary: 'Recover an archived business; "(recover)" is appended if its name is in use meanwhile.',
  allow: administrator,
  conditional: true,
  params: one,
  refuses: ['duplicate'],
  data: Success,
  example: { params: { bk_supplier_account: '0', bk_biz_id: 7 } },
})

export const deleteBusiness = endpoint({
  name: 'delete_business',
  method: 'DELETE',
  effect: 'write',
  path: '/biz/:bk_supplier_account/:bk_biz_id',
  area: 'Businesses',
  summary: 'Delete a business without hosts, with its whole tree.',
  allow: administrator,
  conditional: true,
  params: one,
  refuses: ['hostsUnder', 'businessProtected', 'instanceAssociated'],
  data: Success,
  example: { params: { bk_supplier_account: '0', bk_biz_id: 7 } },
})

export const searchBusiness = endpoint({
  name: 'search_business',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/biz/search/:bk_supplier_account',
  area: 'Businesses',
  summary:
    'Search businesses that are not archived. Text matches as a substring, a role attribute by one whole user name or by the whole list.',
  allow: anyone,
  params: { bk_supplier_account: Account },
  body: SearchBody,
  data: Found(BusinessRecord),
  example: {
    params: { bk_supplier_account: '0' },
    body: { page: { start: 0, limit: 10 }, fields: ['bk_biz_id', 'bk_biz_name'], condition: { bk_biz_name: 'shop' } },
  },
})

export const searchPool = endpoint({
  name: 'search_resource_pool',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/biz/default/:bk_supplier_account/search',
  area: 'Businesses',
  summary: 'The resource pool of the account, as a business.',
  allow: anyone,
  params: { bk_supplier_account: Account },
  body: SearchBody,
  data: Found(BusinessRecord),
  example: { params: { bk_supplier_account: '0' }, body: {} },
})
