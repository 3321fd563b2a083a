import Type, { type TSchema } from 'typebox'
import {
  administrator,
  anyone,
  backConfigs,
  globalBusinesses,
  membersOf,
  modelActions,
  oneself,
  rolePrivileges,
} from './allow.ts'
import { demo } from './demo.ts'
import { endpoint } from './endpoint.ts'
import { Account, JsonObject, Nothing, Revision, Text, WithRevision } from './vocabulary.ts'

const account = { bk_supplier_account: Account }
const role = { ...account, bk_obj_id: Text, bk_property_id: Text }
const group = { ...account, group_id: Text }
const user = { ...account, user_name: Text }

const Names = Type.Array(Type.String())
const GroupName = Type.String({ minLength: 1, description: 'unique in the account; at most 256 bytes' })
const listed = { description: 'user names separated by ;' }

export const SystemConfig = Type.Object({
  global_busi: Names,
  back_config: Names,
})
const actionsByObject = `classification -> object -> ${modelActions.join(', ')}`
export const ModelConfig = Type.Record(Type.String(), Type.Record(Type.String(), Names), {
  description: actionsByObject,
})
const given = {
  bk_supplier_account: Type.String(),
  sys_config: SystemConfig,
  back_config: Names,
  model_config: ModelConfig,
  privilege: Type.Object({ sys_config: SystemConfig, model_config: ModelConfig }),
}
export const GroupPrivilege = Type.Object({ group_id: Type.String(), ...given })
export const UserPrivilege = Type.Object({
  bk_group_id: Type.String({ description: 'the first of the groups' }),
  group_id: Type.String({ description: 'the same' }),
  groups: Names,
  ...given,
})
export const UserGroup = Type.Object({
  group_id: Type.String(),
  group_name: Type.String(),
  user_list: Type.String(),
  bk_revision: Type.Optional(Revision),
})

const Identifiers = Type.Array(Type.String(), { description: rolePrivileges.join(', ') })

export const getRolePrivilege = endpoint({
  name: 'get_role_privilege',
  method: 'GET',
  effect: 'read',
  readsPast: true,
  path: '/topo/privilege/:bk_supplier_account/:bk_obj_id/:bk_property_id',
  area: 'Privileges',
  summary: 'List the privileges bound to a role.',
  allow: anyone,
  params: role,
  data: Identifiers,
  example: { params: { bk_supplier_account: '0', bk_obj_id: 'biz', bk_property_id: 'bk_biz_maintainer' } },
})

export const bindRolePrivilege = endpoint({
  name: 'bind_role_privilege',
  method: 'POST',
  effect: 'write',
  path: '/topo/privilege/:bk_supplier_account/:bk_obj_id/:bk_property_id',
  area: 'Privileges',
  summary: 'Bind exactly these privileges to a role; the users listed in that role of a business have them there.',
  allow: administrator,
  params: role,
  body: Identifiers,
  refuses: ['unknown'],
  data: Nothing,
  example: {
    params: { bk_supplier_account: '0', bk_obj_id: 'biz', bk_property_id: 'operator' },
    body: ['hostupdate', 'hosttrans'],
  },
})

export const createUserGroup = endpoint({
  name: 'create_user_group',
  method: 'POST',
  effect: 'write',
  path: '/topo/privilege/group/:bk_supplier_account',
  area: 'Privileges',
  summary: 'Create a user group.',
  allow: administrator,
  params: account,
  body: Type.Object({ group_name: GroupName, user_list: Type.String({ ...listed, minLength: 1 }) }),
  refuses: ['duplicate', 'outOfBounds', 'tooMany'],
  data: Nothing,
  example: { params: { bk_supplier_account: '0' }, body: { group_name: 'auditors', user_list: 'olga;nora' } },
})

export const updateUserGroup = endpoint({
  name: 'update_user_group',
  method: 'PUT',
  effect: 'write',
  path: '/topo/privilege/group/:bk_supplier_account/:group_id',
  area: 'Privileges',
  summary: 'Update the name or the members of a user group; an empty list removes all members.',
  allow: administrator,
  conditional: true,
  params: group,
  body: Type.Partial(Type.Object({ group_name: GroupName, user_list: Type.String(listed) })),
  refuses: ['notFound', 'duplicate', 'outOfBounds', 'tooMany'],
  data: Nothing,
  example: { params: { bk_supplier_account: '0', group_id: demo.groups[0] }, body: { user_list: 'rosa;sam;uma' } },
})

export const searchUserGroup = endpoint({
  name: 'search_user_group',
  method: 'POST',
  effect: 'read',
  readsPast: true,
  path: '/topo/privilege/group/:bk_supplier_account/search',
  area: 'Privileges',
  summary: 'Search user groups by substrings of their name and member list, in order of creation.',
  allow: administrator,
  params: account,
  body: Type.Partial(Type.Object({ group_name: Type.String(), user_list: Type.String(), fields: WithRevision })),
  data: Type.Array(UserGroup),
  example: { params: { bk_supplier_account: '0' }, body: { group_name: 'auditors' } },
})

export const deleteUserGroup = endpoint({
  name: 'delete_user_group',
  method: 'DELETE',
  effect: 'write',
  path: '/topo/privilege/group/:bk_supplier_account/:bk_group_id',
  area: 'Privileges',
  summary: 'Delete a user group and its privileges.',
  allow: administrator,
  conditional: true,
  params: { ...account, bk_group_id: Text },
  refuses: ['notFound'],
  data: Nothing,
  example: { params: { bk_supplier_account: '0', bk_group_id: demo.groups[1] } },
})

export const searchGroupPrivilege = endpoint({
  name: 'search_group_privilege',
  method: 'GET',
  effect: 'read',
  readsPast: true,
  path: '/topo/privilege/group/detail/:bk_supplier_account/:group_id',
  area: 'Privileges',
  summary: 'Get the privileges of a user group.',
  allow: membersOf(),
  versioned: true,
  params: group,
  refuses: ['notFound'],
  data: GroupPrivilege,
  example: { params: { bk_supplier_account: '0', group_id: demo.groups[0] } },
})

export const getUserPrivilege = endpoint({
  name: 'get_user_privilege',
  method: 'GET',
  effect: 'read',
  readsPast: true,
  path: '/topo/privilege/user/detail/:bk_supplier_account/:user_name',
  area: 'Privileges',
  summary: 'Get the privileges of a user through all groups.',
  allow: oneself(),
  params: user,
  data: UserPrivilege,
  example: { params: { bk_supplier_account: '0', user_name: 'rosa' } },
})

const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
/** An entry with null counts as not sent: clients write an empty list so. */
const SentModelConfig = Type.Record(Type.String(), orNull(Type.Record(Type.String(), orNull(Names))), {
  description: actionsByObject,
})

const BackConfig = Type.Union([Names, JsonObject], {
  description: `${backConfigs.join(', ')}: as a list, or as the keys of an object`,
})

export const updateGroupPrivilege = endpoint({
  name: 'update_group_privilege',
  method: 'POST',
  effect: 'write',
  path: '/topo/privilege/group/detail/:bk_supplier_account/:group_id',
  area: 'Privileges',
  summary: 'Replace the privileges of a user group.',
  allow: administrator,
  conditional: true,
  params: group,
  body: Type.Partial(
    Type.Object({
      sys_config: Type.Partial(
        Type.Object({
          global_busi: Type.Array(Type.String(), { description: globalBusinesses.join(', ') }),
          back_config: BackConfig,
        }),
      ),
      back_config: BackConfig,
      model_config: SentModelConfig,
    }),
  ),
  refuses: ['notFound', 'unknown', 'tooMany'],
  data: Nothing,
  example: {
    params: { bk_supplier_account: '0', group_id: demo.groups[0] },
    body: {
      sys_config: { global_busi: ['resource'] },
      back_config: ['audit'],
      model_config: { bk_network: { bk_switch: ['create', 'update', 'search'] } },
    },
  },
})

export const explainPrivilege = endpoint({
  name: 'explain_privilege',
  method: 'GET',
  effect: 'read',
  readsPast: true,
  path: '/topo/privilege/explain/:bk_supplier_account/:user_name',
  area: 'Privileges',
  summary: 'Explain whether a user may call an operation, and why.',
  allow: oneself(),
  params: user,
  query: {
    operation: 'the name of an operation, as in this document; needed',
    bk_biz_id: 'the business it would be done in',
    bk_host_id: 'the hosts it would be done to',
    bk_obj_id: 'the object whose instances it would be done to',
    bk_inst_id: 'the instance it would be done to',
    group_id: 'the group of the request; any other parameter of the operation can be given in the same way',
  },
  refuses: ['unknown', 'notString'],
  data: Type.Object({
    user_name: Type.String(),
    operation: Type.String(),
    allowed: Type.Boolean(),
    reason: Type.String({ description: 'in a sentence' }),
    through: Type.Array(
      Type.Object({
        by: Type.Union([Type.Literal('role'), Type.Literal('group'), Type.Literal('rule')]),
        reason: Type.String(),
        bk_biz_id: Type.Optional(Type.Integer()),
        roles: Type.Optional(Names),
        privileges: Type.Optional(Names),
        groups: Type.Optional(Names),
        group_id: Type.Optional(Type.String()),
        group_name: Type.Optional(Type.String()),
        rule: Type.Optional(Type.String()),
      }),
    ),
    missing: Type.Array(
      Type.Object({
        reason: Type.String(),
        bk_biz_id: Type.Optional(Type.Integer()),
        privileges: Type.Optional(Names),
        entry: Type.Optional(Type.String({ description: 'what groups grant: resource, event, model or audit' })),
        holders: Type.Optional(
          Type.Array(Type.String(), { description: 'users and @groups that hold these privileges in the business' }),
        ),
      }),
    ),
  }),
  example: {
    params: { bk_supplier_account: '0', user_name: 'amy' },
    query: { operation: 'create_set', bk_biz_id: '2' },
  },
})
