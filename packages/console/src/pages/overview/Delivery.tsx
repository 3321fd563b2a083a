import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { retryAll } from '../../api/ask.ts'
import { isDenied, reasonIn } from '../../api/failures.ts'
import { Skeleton } from '../../kit/Blank.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { healthWords } from '../../words/health.ts'
import { number, useWords } from '../../words/index.ts'
import { overview } from '../../words/overview.ts'
import { type Health, healthOf } from '../events/health.ts'
import { allSubscriptions, type Subscription } from '../events/questions.ts'

const order: readonly Health[] = ['active', 'rejecting', 'unreachable', 'lapsed', 'paused']

/** Whether subscribers receive their events. */
export function Delivery() {
  const words = useWords(overview)
  const found = useQuery(allSubscriptions())
  return (
    <section className="card" aria-labelledby="delivery">
      <header>
        <h2 id="delivery">{words.delivery}</h2>
        <Link to="/events">{words.allSubscriptions}</Link>
      </header>
      {isDenied(found.error) ? (
        <p className="quiet">{reasonIn(found.error)}</p>
      ) : found.error ? (
        <Failure error={found.error} retry={retryAll} />
      ) : !found.data ? (
        <Skeleton lines={3} height={18} />
      ) : found.data.length === 0 ? (
        <p className="quiet">
          {words.noSubscriptions} <Link to="/events/new">{words.subscribe}</Link>
        </p>
      ) : (
        <States subscriptions={found.data} />
      )}
    </section>
  )
}

function States({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  const words = useWords(overview)
  const states = useWords(healthWords)
  const byHealth = Map.groupBy(subscriptions, healthOf)
  const dead = subscriptions.reduce((sum, each) => sum + each.dead_letters, 0)
  const lag = Math.max(0, ...subscriptions.filter((each) => each.state !== 'paused').map((each) => each.lag))
  const present = order.flatMap((health) => {
    const count = byHealth.get(health)?.length
    return count ? { health, count } : []
  })
  return (
    <div className="estate-parts states">
      <div className="estate-bar" aria-hidden="true">
        {present.map(({ health, count }) => (
          <span key={health} className={health} style={{ width: `${(count / subscriptions.length) * 100}%` }} />
        ))}
      </div>
      <dl>
        {present.map(({ health, count }) => (
          <div key={health} className={health}>
            <dt>{states[health]}</dt>
            <dd>{number(count)}</dd>
          </div>
        ))}
      </dl>
      <p className="quiet">{lag > 0 ? words.behind(lag) : dead > 0 ? words.caughtUpBut(dead) : words.caughtUp}</p>
    </div>
  )
}
