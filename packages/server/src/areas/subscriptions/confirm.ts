import { problem, rule, subscriptions } from '@mainline/contract'
import { readPattern } from '../../platform/condition/pattern.ts'

export interface Answered {
  readonly status: number
  readonly body: string
}

export interface Confirmation {
  readonly mode: subscriptions.ConfirmMode
  readonly pattern: string
}

const usualStatus = '200'

/** How success is judged, as the subscriber asked for it; whatever cannot be meant is refused. */
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

/** Whether an answer confirms the delivery: by its status, or by its body whatever the status. */
export function confirming(mode: string, pattern: string): (answered: Answered) => boolean {
  if (mode === 'httpstatus') return ({ status }) => String(status) === pattern
  const compiled = readPattern('confirm_pattern', pattern)
  return ({ body }) => compiled.matcher(body).find()
}
