// Import and export: hosts and topology as spreadsheets, a whole account as JSON lines.
export { transferRoutes } from './routes.ts'
