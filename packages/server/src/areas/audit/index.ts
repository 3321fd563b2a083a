// Who changed what: searching the log of operations.
export { auditRoutes } from './routes.ts'
