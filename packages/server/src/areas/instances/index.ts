// Instances of levels, and of the objects beside the main line, through one set of operations.
export { instanceRoutes } from './routes.ts'
export { createOne as createInstance } from './service.ts'
