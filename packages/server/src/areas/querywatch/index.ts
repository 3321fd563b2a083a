// Saved queries that subscriptions name: who is in their results, told of as hosts enter and leave.
export { type Following, followQueries } from './following.ts'
export { followNamed } from './naming.ts'
export { isFollowed } from './store.ts'
