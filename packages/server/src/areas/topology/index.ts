// Businesses and what stands below them on the main line. Every instance is a node; a business is also the lock on what is in it.

export { builtIn, shownName } from './built-in.ts'
export { createBusiness, createDefaultArea, createPool, updateBusiness } from './business.ts'
export { below, chainOf } from './chain.ts'
export { createDetached, deleteDetached, detachedIn, findDetached, updateDetached } from './detached.ts'
export { fieldsOf, fieldTypes, idField } from './fields.ts'
export { type Business, findBusiness, holdBusiness, joinBusiness } from './hold.ts'
export { createInstances, deleteInstances, type Kind, type Named, updateInstance } from './instances.ts'
export { createLevel, type LevelRules } from './levels.ts'
export { type Doomed, lossOf, showLoss } from './loss.ts'
export { findNode, type Node, selectAnyNodes, selectBusinesses, selectNodes } from './nodes.ts'
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
} from './paths.ts'
export { findPool } from './pool.ts'
export { attributeValue, show, storedValue } from './record.ts'
export { businessRoutes } from './routes.ts'
export { inBusiness, inLivingBusinesses, matchingIds, searchNodes, under } from './search.ts'
export { topologyRoutes } from './tree-routes.ts'
