// Who may do what: roles, groups and what they give; the verdict on every request, read from the database in that request.
export { isAllowed, reasonOf, verdictOn } from './explain.ts'
export { giveGroup } from './given.ts'
export { createGroup, searchGroups, updateGroup } from './groups.ts'
export { auditable, createGuard, type EditingLack, editingLack } from './guard.ts'
export { bindMaintainers, bindRole } from './roles.ts'
export { privilegeRoutes } from './routes.ts'
