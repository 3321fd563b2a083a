import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { useBusinessNames } from '../../api/businesses.ts'
import { Empty, Skeleton } from '../../kit/Blank.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { PageTitle } from '../../kit/PageTitle.tsx'
import { eventWords } from '../../words/events.ts'
import { moment, number, useWords } from '../../words/index.ts'
import { queriesCalled } from '../queries/questions.ts'
import { Attempts } from './Attempts.tsx'
import { DeadLetters } from './DeadLetters.tsx'
import { groupsOf, namesIn, queryIn, sayEvent } from './names.ts'
import { allSubscriptions, catalogue, type Subscription } from './questions.ts'
import { StateTag } from './StateTag.tsx'
import { SubscriptionActions, Trouble } from './SubscriptionActions.tsx'
import './events.css'

export const route = createLazyRoute('/events/$subscription')({ component: OneSubscription })

function OneSubscription() {
  const words = useWords(eventWords)
  const id = Number(route.useParams().subscription)
  const found = useQuery(allSubscriptions())
  const subscription = found.data?.find((each) => each.subscription_id === id)
  if (found.data && !subscription) {
    return (
      <main className="page" id="content">
        <Empty title={words.gone} page>
          <p>{words.goneWhy}</p>
          <Link to="/events">{words.back}</Link>
        </Empty>
      </main>
    )
  }
  return (
    <main className="page" id="content">
      <header>
        <Link to="/events" className="quiet back">
          {words.title}
        </Link>
        <span className="quiet">/</span>
        <PageTitle className="truncate" text={subscription?.subscription_name ?? ''} />
        {subscription && <StateTag subscription={subscription} />}
        {subscription && <SubscriptionActions subscription={subscription} />}
      </header>
      <div className="content subscription">
        {found.error && <Failure error={found.error} retry={found.refetch} />}
        {!subscription && !found.error && <Skeleton lines={10} height={24} />}
        {subscription && (
          <>
            <Trouble subscription={subscription} />
            <Figures subscription={subscription} />
            <Facts subscription={subscription} />
            <History subscription={subscription} />
          </>
        )}
      </div>
    </main>
  )
}

function Figures({ subscription }: { subscription: Subscription }) {
  const words = useWords(eventWords)
  const { statistics, lag, waiting, dead_letters, position } = subscription
  const figures = [
    { name: words.total, value: statistics.total, look: '' },
    { name: words.failed, value: statistics.failure, look: '' },
    { name: words.columns.lag, value: lag, look: '', why: words.explained.lag },
    { name: words.columns.waiting, value: waiting, look: 'warn', why: words.explained.waiting },
    { name: words.columns.dead, value: dead_letters, look: 'bad', why: words.explained.dead },
    { name: words.position, value: position, look: '', why: words.explained.position },
  ]
  return (
    <dl className="figures">
      {figures.map(({ name, value, look, why }) => (
        <div key={name} title={why}>
          <dt>{name}</dt>
          <dd className={value > 0 ? look : ''}>{number(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

function Facts({ subscription }: { subscription: Subscription }) {
  const words = useWords(eventWords)
  const { bk_biz_id: business } = subscription
  const named = useBusinessNames([business])
  const groups = groupsOf(useQuery(catalogue()).data ?? [])
  const ids = namesIn(subscription.subscription_form).flatMap((name) => queryIn(name) ?? [])
  const queries = useQuery({ ...queriesCalled(business, ids), enabled: business !== 0 && ids.length > 0 }).data ?? []
  const mode = subscription.confirm_mode === 'regular' ? 'regular' : 'httpstatus'
  const facts: [string, React.ReactNode][] = [
    [words.facts.url, <code key="url">{subscription.callback_url}</code>],
    [
      words.facts.events,
      <ul key="events" className="chosen">
        {namesIn(subscription.subscription_form).map((name) => (
          <li key={name} className="tag" title={name}>
            {sayEvent(name, groups, queries, words)}
          </li>
        ))}
      </ul>,
    ],
    ...(subscription.filter
      ? [
          [words.facts.filter, <code key="filter">{JSON.stringify(subscription.filter)}</code>] as [
            string,
            React.ReactNode,
          ],
        ]
      : []),
    [words.facts.business, business === 0 ? words.allBusinesses : (named(business) ?? `#${business}`)],
    [words.facts.confirm, words.confirmed[mode](subscription.confirm_pattern)],
    [words.facts.timeout, `${subscription.timeout} ${words.seconds}`],
    ...(subscription.parallel > 1
      ? [[words.facts.parallel, words.atMost(subscription.parallel)] as [string, string]]
      : []),
    ...(subscription.format === 'cloudevents'
      ? [[words.facts.format, words.formats.cloudevents] as [string, string]]
      : []),
    ...(subscription.batch
      ? [[words.facts.batch, words.batches(subscription.batch.max, subscription.batch.wait_ms)] as [string, string]]
      : []),
    ...(subscription.system_name ? [[words.facts.system, subscription.system_name] as [string, string]] : []),
    [words.facts.changed, `${moment(subscription.last_time)} ${words.changed(subscription.operator)}`],
  ]
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function History({ subscription }: { subscription: Subscription }) {
  const words = useWords(eventWords)
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/events/$subscription' })
  const dead = subscription.dead_letters
  return (
    <Tabs
      selectedKey={search.tab === 'dead' ? 'dead' : 'attempts'}
      onSelectionChange={(tab) => navigate({ search: tab === 'dead' ? { tab } : {}, replace: true })}
    >
      <TabList className="tabs" aria-label={words.attempts}>
        <Tab id="attempts" className="tab">
          {words.attempts}
        </Tab>
        <Tab id="dead" className="tab">
          {words.deadLetters}
          {dead > 0 && <span className="tag bad">{number(dead)}</span>}
        </Tab>
      </TabList>
      <TabPanel id="attempts" className="events-panel">
        <Attempts
          subscription={subscription}
          open={search.attempt}
          onOpen={(attempt) => navigate({ search: attempt ? { attempt } : {}, replace: true })}
        />
      </TabPanel>
      <TabPanel id="dead" className="events-panel">
        <DeadLetters
          subscription={subscription}
          after={search.after}
          onAfter={(after) => navigate({ search: after ? { tab: 'dead', after } : { tab: 'dead' } })}
        />
      </TabPanel>
    </Tabs>
  )
}
