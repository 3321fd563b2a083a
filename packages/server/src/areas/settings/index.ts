// Per-user data: display settings, favourite host searches and recent searches. Not audited.
export { createFavourite } from './favourites.ts'
export { favouriteRoutes, settingRoutes } from './routes.ts'
