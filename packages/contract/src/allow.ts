/** The identifiers that can be bound to a role attribute of a business. */
export const rolePrivileges = ['hostupdate', 'hosttrans', 'topoupdate', 'customapi', 'proconfig'] as const
export type RolePrivilege = (typeof rolePrivileges)[number]

/** Grants of a group in `sys_config.global_busi`. */
export const globalBusinesses = ['resource'] as const
export type GlobalBusiness = (typeof globalBusinesses)[number]

export const backConfigs = ['event', 'model', 'audit'] as const
export type BackConfig = (typeof backConfigs)[number]

/** Grants of a group for the instances of an object, in `model_config`. */
export const modelActions = ['create', 'update', 'delete', 'search'] as const
export type ModelAction = (typeof modelActions)[number]

/** The privilege that an operation requires. Every endpoint names exactly one. */
export type Allow =
  | { readonly need: 'nothing' }
  | { readonly need: 'administrator' }
  | { readonly need: 'role'; readonly privilege: RolePrivilege; readonly business: string; readonly in?: 'body' }
  | { readonly need: 'group'; readonly entry: BackConfig | GlobalBusiness }
  | { readonly need: 'hosts'; readonly privilege: RolePrivilege }
  | { readonly need: 'placing' }
  | { readonly need: 'settling' }
  | { readonly need: 'auditedBusiness' }
  | { readonly need: 'instances'; readonly action: ModelAction }
  | { readonly need: 'association'; readonly in: 'path' | 'body' }
  | { readonly need: 'business' }
  | { readonly need: 'self'; readonly user: string }
  | { readonly need: 'member'; readonly group: string }

/** Any identified caller. */
export const anyone: Allow = { need: 'nothing' }
export const administrator: Allow = { need: 'administrator' }
/** The privilege in the business named by `parameter` of the path. */
export const inBusiness = (privilege: RolePrivilege, parameter = 'bk_biz_id'): Allow => ({
  need: 'role',
  privilege,
  business: parameter,
})
/** The same, in the business that the body names. */
export const inBusinessOfBody = (privilege: RolePrivilege, key = 'bk_biz_id'): Allow => ({
  need: 'role',
  privilege,
  business: key,
  in: 'body',
})
export const byGroup = (entry: BackConfig | GlobalBusiness): Allow => ({ need: 'group', entry })
/** The privilege in the business of every host in `bk_host_id` of the body; for hosts of the pool, `resource`. */
export const ofHosts = (privilege: RolePrivilege): Allow => ({ need: 'hosts', privilege })
/** Adding hosts: `hosttrans` in the business that the body names, or `resource`, which the pool also requires. */
export const placingHosts: Allow = { need: 'placing' }
/** Placing hosts into modules of the business in the path: `hosttrans` there; for the pool, `resource`. */
export const settlingHosts: Allow = { need: 'settling' }
/** The `audit` entry of a group, or any role in the businesses concerned. */
export const mayAudit: Allow = { need: 'auditedBusiness' }
/** For an instance of a level, `topoupdate` in its business, and nothing to search them; for others the action in `model_config` of their object. */
export const ofInstances = (action: ModelAction): Allow => ({ need: 'instances', action })
/**
 * To associate instances: `hostupdate` for a source that is a host, `topoupdate` in its business for an instance of the main line, `update` in
 * `model_config` of its object for any other; and `search` of a target off the main line. To remove an association: the former, for
 * either of the two instances.
 */
export const ofNewAssociation: Allow = { need: 'association', in: 'body' }
export const ofAssociation: Allow = { need: 'association', in: 'path' }
/** `topoupdate` in the business; for its role attributes all bindable privileges, so that users cannot grant privileges they do not have. */
export const ofBusiness: Allow = { need: 'business' }
/** Administrators, and the user named by `parameter` of the path. */
export const oneself = (parameter = 'user_name'): Allow => ({ need: 'self', user: parameter })
/** Administrators, and the members of the group named by `parameter` of the path. */
export const membersOf = (parameter = 'group_id'): Allow => ({ need: 'member', group: parameter })
