// Businesses and what stands below them on the main line. Every instance is a node; a business is also the lock on what is in it.

export {
  archiveBusiness,
  bumpTree,
  businessesOf,
  createBusiness,
  createPool,
  deleteBusiness,
  findBusiness,
  holdBusiness,
  recordDelete,
  recoverBusiness,
  updateBusiness,
} from './business.ts'
export { fieldsOf } from './fields.ts'
export {
  differs,
  findNode,
  findNodes,
  insertNodes,
  type Node,
  nameAfter,
  type Showing,
  selectNodes,
  show,
  storedAttributes,
  updateNode,
} from './nodes.ts'
export { businessRoutes } from './routes.ts'
export { inBusiness, searchNodes } from './search.ts'
