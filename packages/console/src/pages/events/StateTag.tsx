import { Hint } from '../../kit/Button.tsx'
import { healthWords } from '../../words/health.ts'
import { useWords } from '../../words/index.ts'
import { type Health, healthOf } from './health.ts'
import type { Subscription } from './questions.ts'

const looks: Record<Health, string> = {
  active: 'good',
  paused: '',
  rejecting: 'warn',
  unreachable: 'bad',
  lapsed: 'bad',
}

/** The state, with the reason if known. */
export function StateTag({ subscription }: { subscription: Subscription }) {
  const words = useWords(healthWords)
  const health = healthOf(subscription)
  const tag = <span className={`tag state ${looks[health]}`}>{words[health]}</span>
  if (!subscription.state_reason) return tag
  return (
    <Hint text={subscription.state_reason}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the reason must be reachable by the keyboard */}
      <span tabIndex={0} role="note">
        {tag}
      </span>
    </Hint>
  )
}
