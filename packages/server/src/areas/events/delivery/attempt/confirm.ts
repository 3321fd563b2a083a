import { problem, rule, subscriptions } from '@mainline/contract'
import { readPattern } from '../../../../condition/pattern.ts'
import { matchWithin } from '../../../../matching/index.ts'

interface Answered {
  readonly status: number
  readonly body: string
}

interface Confirmation {
  readonly mode: subscriptions.ConfirmMode
  readonly pattern: string
}

const usualStatus = '200'

/** The validated confirmation rule of a subscription. */
export function readConfirmation(mode: string | undefined, pattern: unknown): Confirmation {
  const known = subscriptions.confirmModes.find((each) => each === (mode || 'httpstatus'))
  if (!known) {
    const values = subscriptions.confirmModes.join(', ')
    throw problem('invalid', { field: 'confirm_mode', rule: rule('oneOf', { values }) })
  }
  const text = typeof pattern === 'number' ? String(pattern) : (pattern ?? '')
  if (typeof text !== 'string') throw problem('notString', { field: 'confirm_pattern' })
  if (known === 'httpstatus') return { mode: known, pattern: readStatus(text.trim() || usualStatus) }
  if (text === '') throw problem('unassigned', { field: 'confirm_pattern' })
  readPattern('confirm_pattern', text)
  return { mode: known, pattern: text }
}

function readStatus(text: string): string {
  if (/^[1-5]\d\d$/.test(text)) return text
  throw problem('invalid', { field: 'confirm_pattern', rule: rule('between', { min: 100, max: 599 }) })
}

/** CPU time limit of matching one response. */
export const maxConfirmMs = 50

interface Confirming {
  readonly mode: string
  readonly pattern: string
  /** The subscriber, for fair queueing of matching among callers. */
  readonly caller: string
  /** Only this much of a response is matched. */
  readonly maxBytes: number
}

/**
 * Whether a response confirms the delivery: by its status, or by its body whatever the status. The pattern is matched in a thread, because
 * subscriber and receiver may collude on an expensive one, which must not delay others. `slow` counts as a rejection.
 */
export function confirming({
  mode,
  pattern,
  caller,
  maxBytes,
}: Confirming): (answered: Answered) => Promise<boolean | 'slow'> {
  if (mode === 'httpstatus') return async ({ status }) => String(status) === pattern
  const compiled = readPattern('confirm_pattern', pattern)
  return ({ body }) => {
    const text = Buffer.from(body).subarray(0, maxBytes).toString()
    return matchWithin(caller, compiled, text, maxConfirmMs)
  }
}
