// The past: versions of stored rows, derived from the log, and readers of a moment.
export { measurePast } from './metrics.ts'
export { Projector } from './projector.ts'
export { forgetPast, readAccount, readHead, stages } from './state.ts'
export { versionsOf } from './tables/index.ts'
export { type StateVerdict, verifyState } from './verify.ts'
export { PastViews } from './views.ts'
