/** The identifiers that can be bound to a role attribute of a business. */
export const rolePrivileges = ['hostupdate', 'hosttrans', 'topoupdate', 'customapi', 'proconfig'] as const
export type RolePrivilege = (typeof rolePrivileges)[number]

export const backConfigs = ['event', 'model', 'audit'] as const
export type BackConfig = (typeof backConfigs)[number]

/** What a caller needs before an operation runs. Every endpoint names exactly one. */
export type Allow =
  | { readonly need: 'nothing' }
  | { readonly need: 'administrator' }
  | { readonly need: 'role'; readonly privilege: RolePrivilege; readonly business: string }
  | { readonly need: 'group'; readonly entry: BackConfig }
  | { readonly need: 'auditedBusiness' }
  | { readonly need: 'instances' }

/** Any identified caller. */
export const anyone: Allow = { need: 'nothing' }
export const administrator: Allow = { need: 'administrator' }
/** The privilege in the business that the path names by `parameter`. */
export const inBusiness = (privilege: RolePrivilege, parameter = 'bk_biz_id'): Allow => ({
  need: 'role',
  privilege,
  business: parameter,
})
export const byGroup = (entry: BackConfig): Allow => ({ need: 'group', entry })
/** The `audit` entry of a group, or, for one's own businesses, any role there. */
export const mayAudit: Allow = { need: 'auditedBusiness' }
/** For an instance of a level, `topoupdate` in its business; for any other, `model_config` of its object. */
export const ofInstances: Allow = { need: 'instances' }
