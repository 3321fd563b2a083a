import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Disclosure, DisclosurePanel, Button as Pressable } from 'react-aria-components'
import { useBusinessNames } from '../../api/businesses.ts'
import { Button } from '../../kit/Button.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { SearchField } from '../../kit/Field.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { Select } from '../../kit/Select.tsx'
import { kindOf, Station } from '../../kit/Station.tsx'
import { eventWords } from '../../words/events.ts'
import { clock, useWords } from '../../words/index.ts'
import { actions } from './names.ts'
import { catalogue } from './questions.ts'
import { mostRows, type Seen, useTail } from './tail.ts'
import type { EventsView } from './view.ts'
import { subjectOf } from './watched.ts'

interface LiveTailProps {
  view: EventsView
  onView(change: EventsView): void
}

/** A live view of events, newest on top. */
export function LiveTail({ view, onView }: LiveTailProps) {
  const words = useWords(eventWords)
  const [paused, setPaused] = useState(false)
  const { seen, status, error, clear, retry } = useTail(
    { ...(view.resource && { resource: view.resource }), ...(view.business && { bk_biz_id: view.business }) },
    paused,
  )
  const resources = useResources()
  const nameOf = (resource: string) => resources.find((each) => each.id === resource)?.name ?? resource
  const sought = (view.find ?? '').trim().toLowerCase()
  const shown = seen.filter(
    ({ event }) =>
      (!view.action || event.bk_event_type === view.action) &&
      `${nameOf(event.bk_resource)} ${JSON.stringify(event.bk_detail)}`.toLowerCase().includes(sought),
  )
  const named = useBusinessNames(shown.map(({ event }) => businessOf(event)))
  return (
    <>
      <div className="events-tools live-tools">
        <SearchField label={words.findLive} value={view.find ?? ''} onChange={(find) => onView({ find })} />
        <Select
          bare
          label={words.resource}
          none={words.allResources}
          value={view.resource ?? ''}
          onChange={(resource) => onView({ resource })}
          choices={resources}
        />
        <Select
          bare
          label={words.action}
          none={words.anyAction}
          value={view.action ?? ''}
          onChange={(action) => onView({ action })}
          choices={actions.map((action) => ({ id: action, name: words.actions[action] }))}
        />
        <span className={`live-status ${paused ? 'halted' : status}`} role="status">
          {paused ? words.halted : status === 'live' ? words.live : status === 'lost' ? words.lost : words.connecting}
        </span>
        <div className="buttons">
          <Button icon={paused ? 'play' : 'pause'} onPress={() => setPaused(!paused)}>
            {paused ? words.go : words.pause}
          </Button>
          <Button look="quiet" because={seen.length === 0 ? words.nothingToClear : undefined} onPress={clear}>
            {words.clear}
          </Button>
        </div>
      </div>
      {error && <Failure error={error} retry={retry} />}
      {!error && shown.length === 0 && (
        <p className="live-empty quiet">{seen.length === 0 ? words.liveEmpty : words.liveNoMatch}</p>
      )}
      <ol className="live-rows" aria-label={words.tabs.live}>
        {shown.map((each) => (
          <li key={each.event.bk_cursor}>
            <Row seen={each} resource={nameOf(each.event.bk_resource)} business={named(businessOf(each.event))} />
          </li>
        ))}
      </ol>
      {seen.length >= mostRows && <p className="quiet live-bound">{words.bounded(mostRows)}</p>}
    </>
  )
}

const looks: Record<string, string> = { create: 'good', update: 'accent', delete: 'bad' }

const businessOf = ({ bk_detail }: Seen['event']) => Number(bk_detail?.bk_biz_id ?? 0)

function Row({ seen, resource, business }: { seen: Seen; resource: string; business: string | undefined }) {
  const words = useWords(eventWords)
  const { event } = seen
  const action = event.bk_event_type
  return (
    <Disclosure className="live-row entry">
      <Pressable slot="trigger" className="entry-head live-head">
        <time dateTime={seen.at}>{clock(seen.at)}</time>
        <span className={`tag ${looks[action] ?? ''}`}>{action && words.actions[action]}</span>
        <Station
          object={event.bk_resource.replace(/^host_.*|^customquery.*/, 'host')}
          kind={signOf(event.bk_resource)}
        />
        <span className="entry-what truncate">{resource}</span>
        <strong className="truncate">{subjectOf(event)}</strong>
        <span className="entry-where truncate">{event.bk_resource === 'biz' ? '' : business}</span>
        <Icon name="chevron" size={14} />
      </Pressable>
      <DisclosurePanel className="entry-body">
        <pre className="json mono">{JSON.stringify(event.bk_detail, null, 2)}</pre>
      </DisclosurePanel>
    </Disclosure>
  )
}

const signOf = (resource: string) => (/^(host_|customquery)/.test(resource) ? 'host' : kindOf(resource))

/** The resources that can be watched: objects by name, placements and identities of hosts. */
function useResources() {
  const words = useWords(eventWords)
  const entries = useQuery(catalogue()).data ?? []
  const special: Record<string, string> = { host_relation: words.moved, host_identifier: words.identified }
  const named = new Map(
    entries
      .filter((entry) => !entry.bk_resource.startsWith('customquery:'))
      .map((entry) => [entry.bk_resource, special[entry.bk_resource] ?? entry.bk_obj_name]),
  )
  return [...named].map(([id, name]) => ({ id, name }))
}
