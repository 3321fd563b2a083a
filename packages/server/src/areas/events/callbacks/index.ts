// Testing a callback address before subscribing.
export { callbackRoutes } from './routes.ts'
