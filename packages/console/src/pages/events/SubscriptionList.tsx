import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useBusinessNames } from '../../api/businesses.ts'
import { Empty, Skeleton } from '../../kit/Blank.tsx'
import { Hint } from '../../kit/Button.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { SearchField } from '../../kit/Field.tsx'
import { Pager } from '../../kit/Pager.tsx'
import { eventWords } from '../../words/events.ts'
import { number, useWords } from '../../words/index.ts'
import { needsAttention } from './health.ts'
import { namesIn } from './names.ts'
import { allSubscriptions, type Subscription } from './questions.ts'
import { LatestPushes } from './Sparkline.tsx'
import { StateTag } from './StateTag.tsx'
import type { EventsView } from './view.ts'

const pageSize = 25

const scopes = {
  all: () => true,
  attention: needsAttention,
  paused: ({ state }: Subscription) => state === 'paused',
}

interface SubscriptionListProps {
  view: EventsView
  onView(change: EventsView): void
}

export function SubscriptionList({ view, onView }: SubscriptionListProps) {
  const words = useWords(eventWords)
  const found = useQuery(allSubscriptions())
  if (found.error && !found.data) return <Failure error={found.error} retry={found.refetch} />
  if (!found.data) return <Skeleton lines={8} height={34} />
  // A subscription to all businesses receives the events of this one, too.
  const ofBusiness = found.data.filter(
    ({ bk_biz_id: id }) => !view.business || id === 0 || String(id) === view.business,
  )
  if (ofBusiness.length === 0) {
    return (
      <Empty title={words.empty}>
        <p>{words.emptyWhy}</p>
      </Empty>
    )
  }
  const sought = (view.find ?? '').trim().toLowerCase()
  const holds = (each: Subscription) =>
    `${each.subscription_name} ${each.system_name} ${each.callback_url} ${each.subscription_form}`
      .toLowerCase()
      .includes(sought)
  const scope = Object.hasOwn(scopes, view.scope ?? '') ? (view.scope as keyof typeof scopes) : 'all'
  const shown = ofBusiness.filter((each) => scopes[scope](each) && holds(each))
  const start = Math.min(Number(view.start) || 0, Math.max(0, shown.length - 1))
  return (
    <>
      <div className="events-tools">
        <SearchField label={words.find} value={view.find ?? ''} onChange={(find) => onView({ find, start: '' })} />
        <nav className="scopes" aria-label={words.columns.state}>
          {(Object.keys(scopes) as (keyof typeof scopes)[]).map((each) => (
            <button
              key={each}
              type="button"
              className={each === scope ? 'place active' : 'place'}
              aria-pressed={each === scope}
              onClick={() => onView({ scope: each === 'all' ? '' : each, start: '' })}
            >
              {words.scopes[each]}
              <span className="count">{number(ofBusiness.filter(scopes[each]).length)}</span>
            </button>
          ))}
        </nav>
      </div>
      {found.error && <Failure error={found.error} retry={found.refetch} />}
      {shown.length === 0 ? (
        <Empty title={words.noMatch} />
      ) : (
        <SubscriptionTable subscriptions={shown.slice(start, start + pageSize)} />
      )}
      {shown.length > pageSize && (
        <Pager
          start={start}
          limit={pageSize}
          count={shown.length}
          onStart={(next) => onView({ start: next ? String(next) : '' })}
        />
      )}
    </>
  )
}

function SubscriptionTable({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  const words = useWords(eventWords)
  const named = useBusinessNames(subscriptions.map((each) => each.bk_biz_id))
  const businessName = ({ bk_biz_id: id }: Subscription) =>
    id === 0 ? <span className="quiet">{words.allBusinesses}</span> : (named(id) ?? `#${id}`)
  const explained = (column: 'lag' | 'waiting' | 'dead') => (
    <th scope="col" className="number">
      <Hint text={words.explained[column]}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what the column means must be reachable by the keyboard */}
        <span tabIndex={0} role="note">
          {words.columns[column]}
        </span>
      </Hint>
    </th>
  )
  return (
    <div className="wide-table">
      <table className="table subscriptions" aria-label={words.tabs.subscriptions}>
        <thead>
          <tr>
            <th scope="col">{words.columns.name}</th>
            <th scope="col">{words.business}</th>
            <th scope="col">{words.columns.state}</th>
            <th scope="col">{words.columns.recent}</th>
            {explained('lag')}
            {explained('waiting')}
            {explained('dead')}
          </tr>
        </thead>
        <tbody>
          {subscriptions.map((each) => (
            <tr key={each.subscription_id}>
              <td className="subscription-name">
                <Link
                  to="/events/$subscription"
                  params={{ subscription: String(each.subscription_id) }}
                  className="named truncate"
                >
                  {each.subscription_name}
                </Link>
                <span className="quiet truncate">
                  {words.events(namesIn(each.subscription_form).length)} ·{' '}
                  <span className="mono">{each.callback_url}</span>
                </span>
              </td>
              <td className="truncate">{businessName(each)}</td>
              <td>
                <StateTag subscription={each} />
              </td>
              <td>
                <LatestPushes subscription={each} />
              </td>
              <Figure value={each.lag} />
              <Figure value={each.waiting} look="warn" />
              <Figure value={each.dead_letters} look="bad" />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** No dead letters is good news, so it is shown without emphasis. */
const Figure = ({ value, look = '' }: { value: number; look?: string }) => (
  <td className={`number ${value === 0 ? 'quiet' : look}`}>{number(value)}</td>
)
