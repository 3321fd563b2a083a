import { problem } from '@mainline/contract'
import type { Connection } from '../../connection.ts'
import { mayBeOnDisk } from '../connection.ts'

/** A change that waits for its turn to write. */
export interface Waiting {
  txnId: string
  run(connection: Connection): Promise<unknown>
  bulk: boolean
  /** Rejected with Retry-After if its turn has not come by then. */
  until: number
  done: PromiseWithResolvers<unknown>
}

export const outcomeUnknown = ({ txnId }: Waiting) => problem('outcomeUnknown', { txn: txnId })

/** What a failed COMMIT means for a change: it may be on disk all the same. */
export const afterCommit = (error: unknown, waiting: Waiting) => (mayBeOnDisk(error) ? outcomeUnknown(waiting) : error)
