// Businesses and the nodes of their trees. A business is also the lock on everything in it.

export { createBusiness, createDefaultArea, createPool, updateBusiness } from './businesses/business.ts'
export { type Business, findBusiness, holdBusiness, joinBusiness } from './businesses/hold.ts'
export { findPool } from './businesses/pool.ts'
export { chainOf, objectsBelow } from './levels/chain.ts'
export { raiseVersions, setParentObject } from './levels/level-store.ts'
export { createLevel, deleteLevel, findConflicts, type LevelRules } from './levels/levels.ts'
export { createOne as createInstance } from './nodes/any-object.ts'
export { builtIn, nameKey, shownName } from './nodes/built-in.ts'
export { createDetached, deleteDetached, detachedIn, findDetached, updateDetached } from './nodes/detached.ts'
export { fieldsOf, fieldTypes, idField } from './nodes/fields.ts'
export {
  createInstances,
  deleteInstances,
  type NodeRules,
  type NodeSelection,
  updateInstance,
} from './nodes/instances.ts'
export { type Deletable, lossOf, showLoss } from './nodes/loss.ts'
export { createModules } from './nodes/modules.ts'
export { findNode, type Node, selectAnyNodes, selectBusinesses, selectNodes } from './nodes/nodes.ts'
export { attributeValue, showNode, storedValue } from './nodes/record.ts'
export {
  aboveOf,
  findAnyNodes,
  removeNodes,
  reparentNode,
  restoreNodes,
  rewriteNode,
  type StoredNode,
  setNamesAside,
} from './nodes/restore.ts'
export { inBusiness, inLivingBusinesses, matchingIds, searchNodes, under } from './nodes/search.ts'
export { createSets } from './nodes/sets.ts'
export { businessRoutes } from './routes/businesses.ts'
export { instanceRoutes } from './routes/instances.ts'
export { moduleRoutes } from './routes/modules.ts'
export { setRoutes } from './routes/sets.ts'
export { topologyRoutes } from './routes/tree.ts'
export { levelsAbove } from './tree/above.ts'
export {
  findAtPaths,
  objectsOf,
  type Path,
  type Placed,
  pathKey,
  placesOf,
  readPath,
  readPaths,
  writePath,
} from './tree/paths.ts'
