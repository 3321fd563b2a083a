import { subscriptions as operations } from '@mainline/contract'
import { createLazyRoute, useNavigate } from '@tanstack/react-router'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { useRefusal } from '../../api/may.ts'
import { BusinessField } from '../../forms/BusinessField.tsx'
import { Button } from '../../kit/Button.tsx'
import { PageTitle } from '../../kit/PageTitle.tsx'
import { eventWords } from '../../words/events.ts'
import { useWords } from '../../words/index.ts'
import { LiveTail } from './LiveTail.tsx'
import { SubscriptionList } from './SubscriptionList.tsx'
import type { EventsView } from './view.ts'
import './events.css'

export const route = createLazyRoute('/events')({ component: Events })

function Events() {
  const words = useWords(eventWords)
  const view: EventsView = route.useSearch()
  const navigate = useNavigate({ from: '/events' })
  const refused = useRefusal(operations.subscribeEvent)
  const look = (change: EventsView, replace = true) => {
    const next = Object.entries({ ...view, ...change }).filter(([, value]) => value)
    navigate({ search: Object.fromEntries(next), replace })
  }
  return (
    <main className="page" id="content">
      <header>
        <PageTitle text={words.title} />
        <div className="actions">
          <div className="events-business">
            <BusinessField
              bare
              label={words.business}
              value={view.business ?? ''}
              onChange={(business) => look({ business, start: '' })}
              besides={[{ id: '', name: words.allBusinesses }]}
            />
          </div>
          <Button
            look="primary"
            icon="plus"
            because={refused}
            onPress={() => navigate({ to: '/events/new', search: view.business ? { business: view.business } : {} })}
          >
            {words.subscribe}
          </Button>
        </div>
      </header>
      <Tabs
        className="content events"
        selectedKey={view.tab === 'live' ? 'live' : 'subscriptions'}
        onSelectionChange={(tab) =>
          navigate({ search: { ...(view.business && { business: view.business }), ...(tab === 'live' && { tab }) } })
        }
      >
        <TabList className="tabs" aria-label={words.title}>
          {(['subscriptions', 'live'] as const).map((tab) => (
            <Tab key={tab} id={tab} className="tab">
              {words.tabs[tab]}
            </Tab>
          ))}
        </TabList>
        <TabPanel id="subscriptions" className="events-panel">
          <SubscriptionList view={view} onView={look} />
        </TabPanel>
        <TabPanel id="live" className="events-panel">
          <LiveTail key={`${view.business} ${view.resource}`} view={view} onView={look} />
        </TabPanel>
      </Tabs>
    </main>
  )
}
