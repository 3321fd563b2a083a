// The log by instance: versions, who set which value, and what differs between two moments.
export { timelineRoutes } from './routes.ts'
