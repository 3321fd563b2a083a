// Modules: what hosts stand in, the lowest level of a business above them.
export { moduleRoutes } from './routes.ts'
export { createModules } from './service.ts'
