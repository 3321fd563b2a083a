// Sets: the groups of modules that a business, or a level below it, is made of.
export { setRoutes } from './routes.ts'
export { createSets } from './service.ts'
