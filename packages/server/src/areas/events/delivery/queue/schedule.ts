/** Backoff of probing an unavailable receiver; the last pause repeats. */
const probePausesMs = [250, 1_000, 2_000, 5_000, 10_000, 20_000, 40_000, 60_000]
const maxProbePauseMs = 60_000
/** Upper bound of a receiver's `Retry-After`. */
const maxRetryAfterMs = 3_600_000

/** 20 % jitter, so that receivers that failed together are not all retried together. */
const jittered = (pauseMs: number) => pauseMs * (0.8 + Math.random() * 0.4)

/** The pause before the next probe, after a number of failed ones. */
export const probePauseMs = (failed: number, requestedMs: number | undefined): number =>
  Math.min(
    maxProbePauseMs,
    Math.max(jittered(probePausesMs[Math.min(failed, probePausesMs.length) - 1] ?? maxProbePauseMs), requestedMs ?? 0),
  )

/** The pause for a whole receiver after 429: it is rate limited, whichever event was rejected. */
export const rateLimitPauseMs = (status: number | null, requestedMs: number | undefined): number =>
  status === 429 ? Math.min(maxProbePauseMs, requestedMs ?? 0) : 0

/** The pause before a rejected event is retried; undefined after its last attempt. */
export function retryDelayMs(
  schedule: readonly number[],
  tries: number,
  requestedMs: number | undefined,
): number | undefined {
  const pause = schedule[tries - 1]
  return pause === undefined ? undefined : Math.max(jittered(pause), Math.min(requestedMs ?? 0, maxRetryAfterMs))
}

/** The upper bound of `retryDelayMs`. */
export const maxRetryDelayMs = (schedule: readonly number[]): number =>
  Math.max(maxRetryAfterMs, ...schedule.map((each) => each * 1.2))

/** `Retry-After`, sent in seconds or as a date. */
export function retryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== 'string') return undefined
  const text = header.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
