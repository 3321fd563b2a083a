// Searching the audit log: who changed what.

export { phrase } from './phrases.ts'
export { auditRoutes } from './routes.ts'
