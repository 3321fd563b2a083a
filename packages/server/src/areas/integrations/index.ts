// What saved queries find, handed on whole in the forms of other programs: Prometheus, Ansible, spreadsheets.
export { integrationRoutes } from './routes.ts'
