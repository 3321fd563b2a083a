import { useQuery } from '@tanstack/react-query'
import { eventWords } from '../../words/events.ts'
import { useWords } from '../../words/index.ts'
import { barsOf } from './health.ts'
import { type Attempt, attemptsOf, type Subscription } from './questions.ts'

const height = 22

/** A bar for each of the latest pushes: its height is the duration, its colour the result. */
export function Sparkline({ attempts, most }: { attempts: readonly Attempt[]; most: number }) {
  const words = useWords(eventWords)
  const bars = barsOf(attempts, most)
  const failed = bars.filter((bar) => bar.result !== 'confirmed').length
  if (bars.length === 0) return <span className="quiet">{words.noPush}</span>
  const width = most * 3
  return (
    <svg
      className="sparkline"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={words.pushes(bars.length, failed)}
    >
      <path d={`M0 ${height - 0.5}H${width}`} />
      {bars.map((bar, index) => {
        const tall = Math.round(bar.height * (height - 1))
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is nothing but its place
            key={index}
            className={bar.result}
            x={width - (bars.length - index) * 3}
            y={height - 1 - tall}
            width="2"
            height={tall}
          />
        )
      })}
    </svg>
  )
}

/** The same for a subscription in a list, with a placeholder while loading. */
export function LatestPushes({ subscription }: { subscription: Subscription }) {
  const attempts = useQuery({
    ...attemptsOf(subscription),
    enabled: subscription.statistics.total > 0,
    placeholderData: (before) => before,
  })
  if (subscription.statistics.total > 0 && !attempts.data) return <span className="sparkline-place" />
  return <Sparkline attempts={attempts.data ?? []} most={40} />
}
