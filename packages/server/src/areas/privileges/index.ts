// Who may do what: the verdict on every request, read from the database in that request.
export { auditable, createGuard } from './guard.ts'
