// Associations: kinds, which objects may be associated, and associations between instances.
export { associatedMeanwhile, dependentsOf, endAssociations, refuseAssociated, refuseAssociatedIn } from './deletion.ts'
export { associationEvent, createInstanceAssociation, deleteInstanceAssociation } from './instance-associations.ts'
export { createKind, deleteKind, type Kind, presetKinds, restoreKind, selectOwnKinds, updateKind } from './kinds.ts'
export {
  createObjectAssociation,
  deleteObjectAssociation,
  type ObjectAssociation,
  restoreObjectAssociation,
  selectObjectAssociations,
  showObjectAssociation,
  updateObjectAssociation,
} from './object-associations.ts'
export { associationRoutes } from './routes.ts'
export { associationsOfHosts, visibleTo } from './search.ts'
