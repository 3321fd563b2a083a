// What users keep for themselves: display settings, favourite host searches, and the searches they made last. None of it is audited.
export { createFavourite } from './favourites.ts'
export { favouriteRoutes, settingRoutes } from './routes.ts'
