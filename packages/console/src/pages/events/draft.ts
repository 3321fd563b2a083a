import { namesIn } from './names.ts'
import type { Definition, EventFilter, Subscription } from './questions.ts'

/** A subscription being edited. */
export interface Draft {
  readonly name: string
  readonly system: string
  readonly url: string
  readonly mode: string
  readonly pattern: string
  readonly timeout: string
  readonly parallel: string
  readonly format: string
  /** Events per request; 1 for no batches. */
  readonly batch: string
  /** Milliseconds that a batch waits for more events. */
  readonly batchWait: string
  readonly events: readonly string[]
  /** Null: every one of the events. */
  readonly filter: EventFilter | null
}

export const usual = {
  mode: 'httpstatus',
  status: '200',
  least: 1,
  most: 300,
  timeout: '10',
  parallel: '1',
  mostParallel: 32,
  mostBatch: 500,
  mostBatchWait: 10_000,
} as const

export const freshDraft = (events: readonly string[]): Draft => ({
  name: '',
  system: '',
  url: '',
  mode: usual.mode,
  pattern: usual.status,
  timeout: usual.timeout,
  parallel: usual.parallel,
  format: 'bk-cmdb',
  batch: '1',
  batchWait: '0',
  events,
  filter: null,
})

export const draftOf = (subscription: Subscription): Draft => ({
  name: subscription.subscription_name,
  system: subscription.system_name,
  url: subscription.callback_url,
  mode: subscription.confirm_mode,
  pattern: subscription.confirm_pattern,
  timeout: String(subscription.timeout),
  parallel: String(subscription.parallel),
  format: subscription.format,
  batch: String(subscription.batch?.max ?? 1),
  batchWait: String(subscription.batch?.wait_ms ?? 0),
  events: namesIn(subscription.subscription_form),
  filter: subscription.filter,
})

export const definitionOf = (draft: Draft): Definition => ({
  subscription_name: draft.name.trim(),
  system_name: draft.system.trim(),
  callback_url: draft.url.trim(),
  confirm_mode: draft.mode,
  confirm_pattern: draft.mode === 'httpstatus' ? draft.pattern.trim() : draft.pattern,
  subscription_form: draft.events.join(','),
  ...(draft.filter && { filter: draft.filter }),
  timeout: Number(draft.timeout),
  parallel: Number(draft.parallel),
  format: draft.format,
  ...(Number(draft.batch) > 1 && { batch: { max: Number(draft.batch), wait_ms: Number(draft.batchWait) } }),
})

export type Problem = 'required' | 'status' | 'timeout' | 'parallel' | 'batch' | 'batchWait' | 'events'

/** Errors that can be detected here; the server checks the address. */
export function problemsOf(
  draft: Draft,
): Partial<Record<'name' | 'url' | 'pattern' | 'timeout' | 'parallel' | 'batch' | 'batchWait' | 'events', Problem>> {
  return {
    ...(!draft.name.trim() && { name: 'required' as const }),
    ...(!draft.url.trim() && { url: 'required' as const }),
    ...(!draft.pattern.trim()
      ? { pattern: 'required' as const }
      : draft.mode === 'httpstatus' && !/^[1-5]\d\d$/.test(draft.pattern.trim()) && { pattern: 'status' as const }),
    ...(!isBetween(draft.timeout, usual.least, usual.most) && { timeout: 'timeout' as const }),
    ...(!isBetween(draft.parallel, 1, usual.mostParallel) && { parallel: 'parallel' as const }),
    ...(!isBetween(draft.batch, 1, usual.mostBatch) && { batch: 'batch' as const }),
    ...(!isBetween(draft.batchWait, 0, usual.mostBatchWait) && { batchWait: 'batchWait' as const }),
    ...(draft.events.length === 0 && { events: 'events' as const }),
  }
}

const isBetween = (text: string, least: number, most: number): boolean =>
  text.trim() !== '' && Number.isInteger(Number(text)) && Number(text) >= least && Number(text) <= most

/** A status can be compared here; patterns are matched by the server. */
export const wouldConfirm = ({ mode, pattern }: Draft, status: number): boolean | undefined =>
  mode === 'httpstatus' ? String(status) === pattern.trim() : undefined
