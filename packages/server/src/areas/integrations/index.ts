// Results of saved queries as files for other programs: Prometheus, Ansible, spreadsheets.
export { integrationRoutes } from './routes.ts'
