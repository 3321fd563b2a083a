/** The identifiers that can be bound to a role attribute of a business. */
export const rolePrivileges = ['hostupdate', 'hosttrans', 'topoupdate', 'customapi', 'proconfig'] as const
export type RolePrivilege = (typeof rolePrivileges)[number]

/** What a group can be given in `sys_config.global_busi`. */
export const globalBusinesses = ['resource'] as const
export type GlobalBusiness = (typeof globalBusinesses)[number]

export const backConfigs = ['event', 'model', 'audit'] as const
export type BackConfig = (typeof backConfigs)[number]

/** What a group can be given for the instances of an object, in `model_config`. */
export const modelActions = ['create', 'update', 'delete', 'search'] as const
export type ModelAction = (typeof modelActions)[number]

/** What a caller needs before an operation runs. Every endpoint names exactly one. */
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
  | { readonly need: 'business' }
  | { readonly need: 'self'; readonly user: string }
  | { readonly need: 'member'; readonly group: string }

/** Any identified caller. */
export const anyone: Allow = { need: 'nothing' }
export const administrator: Allow = { need: 'administrator' }
/** The privilege in the business that the path names by `parameter`. */
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
/** The privilege in the business of every host that `bk_host_id` of the body names; for hosts of the pool, `resource`. */
export const ofHosts = (privilege: RolePrivilege): Allow => ({ need: 'hosts', privilege })
/** To add hosts: `hosttrans` in the business that the body names, or `resource`, which is also what the pool asks for. */
export const placingHosts: Allow = { need: 'placing' }
/** To put hosts into modules of the business that the path names: `hosttrans` there; for the pool, `resource`. */
export const settlingHosts: Allow = { need: 'settling' }
/** The `audit` entry of a group, or, for one's own businesses, any role there. */
export const mayAudit: Allow = { need: 'auditedBusiness' }
/**
 * For an instance of a level, `topoupdate` in its business, and nothing to search them; for any other instance the
 * action in `model_config` of its object.
 */
export const ofInstances = (action: ModelAction): Allow => ({ need: 'instances', action })
/** `topoupdate` in the business; for its role attributes all that can be bound to a role, so that nobody gives what they lack. */
export const ofBusiness: Allow = { need: 'business' }
/** Administrators, and the user that the path names by `parameter`. */
export const oneself = (parameter = 'user_name'): Allow => ({ need: 'self', user: parameter })
/** Administrators, and the members of the group that the path names by `parameter`. */
export const membersOf = (parameter = 'group_id'): Allow => ({ need: 'member', group: parameter })
