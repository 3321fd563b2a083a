// Ranges of the log, between two moments.
import { problem, rule } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import { type Moment, presentMoment, type Reader, readMoment } from '../../../storage/index.ts'

/** The records after the first moment, up to and including the second. */
export interface LogRange {
  readonly after: Moment
  readonly upTo: Moment
}

const beginning: Moment = { position: 0, time: 0 }

interface RangeRequest {
  readonly account: string
  readonly zone: Zone
  /** As sent. */
  readonly from: unknown
  readonly to: unknown
}

/** From the beginning and up to the present, unless moments are given. */
export async function readRange(reader: Reader, { account, zone, from, to }: RangeRequest): Promise<LogRange> {
  const named = (field: string, text: unknown) => readMoment(reader, { account, text, field, zone })
  const after = from === undefined ? beginning : await named('from', from)
  const upTo = to === undefined ? await presentMoment(reader, account) : await named('to', to)
  if (after.position > upTo.position || after.time > upTo.time) {
    throw problem('invalid', { field: 'from', rule: rule('fromAfterTo') })
  }
  return { after, upTo }
}
