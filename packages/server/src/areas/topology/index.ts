// Businesses and what stands below them on the main line. Every instance is a node; a business is also the lock on what is in it.
export { createBusiness, createPool } from './business.ts'
export { fieldsOf } from './fields.ts'
export { type Business, findBusiness } from './hold.ts'
export { createInstances, deleteInstances, type Kind, updateInstance } from './instances.ts'
export { findNode } from './nodes.ts'
export { type Showing, show } from './record.ts'
export { businessRoutes } from './routes.ts'
export { inBusiness, searchNodes } from './search.ts'
