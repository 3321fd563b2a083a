import { newKey } from '@mainline/client/core'

/** What a change is sent with, besides its body. */
export interface ChangeRequest {
  /** Names the change in the audit log, so that it can be undone. */
  readonly id: string
  readonly reason: string
}

let current: ChangeRequest | undefined

export const newRequest = (reason = ''): ChangeRequest => ({ id: newKey(), reason: reason.trim() })

/** Sends the calls that `run` makes before it first waits as this request. */
export function asRequest<Result>(request: ChangeRequest, run: () => Result): Result {
  current = request
  try {
    return run()
  } finally {
    current = undefined
  }
}

/** The options of a call that is made now. */
export const ofRequest = () =>
  current ? { headers: { cc_request_id: current.id }, ...(current.reason && { reason: current.reason }) } : {}
