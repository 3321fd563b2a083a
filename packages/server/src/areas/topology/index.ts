// Businesses and what stands below them on the main line. Every instance is a node; a business is also the lock on what is in it.
export { nameKey } from './built-in.ts'
export { businessesOf, createBusiness, createPool } from './business.ts'
export { recordDelete } from './delete-business.ts'
export { fieldsOf } from './fields.ts'
export { type Business, bumpTree, findBusiness, holdBusiness } from './hold.ts'
export {
  findNode,
  findNodes,
  insertNodes,
  type Node,
  nameAfter,
  selectNodes,
  storedAttributes,
  updateNode,
} from './nodes.ts'
export { differs, inEnglish, type Showing, show, storedValue } from './record.ts'
export { businessRoutes } from './routes.ts'
export { inBusiness, searchNodes } from './search.ts'
