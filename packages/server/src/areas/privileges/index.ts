// Authorization: roles, groups and the privileges they grant; the verdict on every request, read from the database in that request.
export type { JudgedRequest, Readers } from './demand.ts'
export { isAllowed, reasonOf, verdictOn } from './explain.ts'
export { giveGroup } from './given.ts'
export { nothingGiven } from './grants.ts'
export { createGroup, deleteGroup, searchGroups, updateGroup } from './groups.ts'
export {
  auditable,
  createChangeGuard,
  createGuard,
  type HiddenObjects,
  hiddenObjects,
  type MissingDeleteGrant,
  type MissingEditGrant,
  type MissingGrant,
  type MissingSearchGrant,
  missingDeleteGrant,
  missingEditGrant,
  missingForChange,
  missingSearchGrant,
  refuseUnsearchable,
} from './guard.ts'
export { restoreGroup, rewriteGroup, type StoredGroup } from './restore.ts'
export { bindMaintainers, bindRole } from './roles.ts'
export { privilegeRoutes } from './routes.ts'
