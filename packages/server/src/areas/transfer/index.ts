// Estates in and out: hosts and topology as spreadsheets, the whole of an account as JSON lines.
export { transferRoutes } from './routes.ts'
