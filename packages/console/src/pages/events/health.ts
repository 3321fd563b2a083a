import type { Attempt, Subscription } from './questions.ts'

/** The health of a subscription, worst first; `rejecting` still runs, but some events are rejected. */
export type Health = 'unreachable' | 'lapsed' | 'rejecting' | 'paused' | 'active'

export function healthOf({ state, dead_letters, waiting }: Subscription): Health {
  if (state === 'unreachable' || state === 'lapsed' || state === 'paused') return state
  return dead_letters > 0 || waiting > 0 ? 'rejecting' : 'active'
}

/** Whether it needs attention; a paused subscription does not, since a user has paused it. */
export const needsAttention = (subscription: Subscription): boolean =>
  subscription.state === 'unreachable' || subscription.state === 'lapsed' || subscription.dead_letters > 0

interface Bar {
  readonly result: string
  /** From 0.15 for an immediate response to 1 for the longest timeout. */
  readonly height: number
}

const [least, slowest] = [0.15, 10_000]

/** The latest attempts from left to right. Durations range over four digits, so the scale is logarithmic. */
export const barsOf = (attempts: readonly Attempt[], most: number): Bar[] =>
  attempts
    .slice(0, most)
    .map(({ result, duration }) => {
      const share = Math.log10(1 + Math.min(duration, slowest)) / Math.log10(1 + slowest)
      return { result, height: least + (1 - least) * share }
    })
    .reverse()
