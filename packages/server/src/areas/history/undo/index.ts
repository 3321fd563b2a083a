// Undo: the plan, its conflicts with later changes, and the change that carries it out.
export { undoRoutes } from './routes.ts'
