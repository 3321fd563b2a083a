import { Problem } from '@mainline/contract'

/** A disconnected client or an exhausted budget of one caller says nothing about another request that waits for the same result. */
const endsOneRequest = (error: unknown): boolean =>
  error instanceof Problem && (error.kind === 'clientGone' || error.kind === 'tooManyRequests')

/** The result of work shared with another request; repeated if it failed for a reason of that request alone. */
export const sharedOrAnew = <T>(underway: Promise<T>, begin: () => Promise<T>): Promise<T> =>
  underway.catch((error: unknown) => {
    if (endsOneRequest(error)) return begin()
    throw error
  })
