import { businesses } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { memo, useMemo } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { useRefusal } from '../../api/may.ts'
import { chain } from '../../api/model.ts'
import { Button } from '../../kit/Button.tsx'
import { Station } from '../../kit/Station.tsx'
import { number, useWords } from '../../words/index.ts'
import { topology } from '../../words/topology.ts'
import { NodeAttributes } from './NodeAttributes.tsx'
import type { Asked } from './NodeDialogs.tsx'
import { NodeHistory } from './NodeHistory.tsx'
import { NodeHosts } from './NodeHosts.tsx'
import { changing } from './operations.ts'
import { People } from './People.tsx'
import { countBelow, type Place, pathTo } from './tree.ts'

interface NodePanelProps {
  business: number
  place: Place
  /** It was deleted while its form had unsaved changes. */
  isGone: boolean
  /** The number of hosts in it; undefined while it is unknown. */
  hosts: number | undefined
  onAsk(asked: Asked): void
}

/** The details of the selected node, independent of the tree's state. */
export const NodePanel = memo(function NodePanel({ business, place, isGone, hosts, onAsk }: NodePanelProps) {
  const words = useWords(topology)
  const { tab = 'hosts' } = useSearch({ from: '/topology/$business' })
  const navigate = useNavigate({ from: '/topology/$business' })
  const next = useQuery(chain()).data?.find((link) => link.bk_pre_obj_id === place.object)
  const { operation, about } = changing(business, place)
  const refused = useRefusal(operation, about)
  const refusedArchiving = useRefusal(businesses.archiveBusiness, { bk_biz_id: business })
  const builtIn = place.builtIn > 0 ? words.builtIn : undefined
  const fixed = isGone ? words.gone : builtIn
  const hostsInIt = hosts ? words.hostsInBusiness(hosts) : undefined
  return (
    <section className="node-panel" aria-label={place.name}>
      <Path place={place} />
      <header>
        <Station object={place.object} size={14} />
        <h2>{place.name}</h2>
        <span className="tag">{place.objectName}</span>
        {builtIn && <span className="tag warn">{words.builtInTag}</span>}
        <div className="actions">
          {next && next.bk_obj_id !== 'host' && (
            <Button
              icon="plus"
              look="primary"
              because={fixed ?? refused}
              onPress={() => onAsk({ what: 'add', place, object: next.bk_obj_id, objectName: next.bk_obj_name })}
            >
              {words.add(next.bk_obj_name)}
            </Button>
          )}
          <Button icon="pencil" because={fixed ?? refused} onPress={() => onAsk({ what: 'rename', place })}>
            {words.rename}
          </Button>
          <Button
            icon="bin"
            because={fixed ?? (place.parent ? refused : (refusedArchiving ?? hostsInIt))}
            onPress={() => onAsk({ what: place.parent ? 'delete' : 'archive', place })}
          >
            {place.parent ? words.deleteIt : words.archive}
          </Button>
        </div>
      </header>
      {isGone && (
        <p className="notice warn" role="status">
          {words.goneMeanwhile}
        </p>
      )}
      <Below place={place} hosts={hosts} />
      <Tabs
        className="node-tabs"
        selectedKey={tab === 'people' && place.object !== 'biz' ? 'hosts' : tab}
        onSelectionChange={(key) => navigate({ search: (before) => ({ ...before, tab: String(key) }) })}
      >
        <TabList className="tabs" aria-label={place.name}>
          <Tab id="hosts" className="tab">
            {words.tabs.hosts}
          </Tab>
          <Tab id="attributes" className="tab">
            {words.tabs.attributes}
          </Tab>
          {place.object === 'biz' && (
            <Tab id="people" className="tab">
              {words.tabs.people}
            </Tab>
          )}
          <Tab id="history" className="tab">
            {words.tabs.history}
          </Tab>
        </TabList>
        <TabPanel id="hosts">
          <NodeHosts business={business} place={place} />
        </TabPanel>
        <TabPanel id="attributes">
          <NodeAttributes business={business} place={place} />
        </TabPanel>
        {place.object === 'biz' && (
          <TabPanel id="people">
            <People place={place} />
          </TabPanel>
        )}
        <TabPanel id="history">
          <NodeHistory business={business} place={place} />
        </TabPanel>
      </Tabs>
    </section>
  )
})

function Path({ place }: { place: Place }) {
  const above = pathTo(place).slice(0, -1)
  return (
    <ol className="path">
      {above.map((each) => (
        <li key={each.key}>
          <Link from="/topology/$business" search={(before) => ({ ...before, node: each.key })}>
            {each.name}
          </Link>
        </li>
      ))}
      {above.length === 0 && <li className="quiet">{place.objectName}</li>}
    </ol>
  )
}

/** The number of nodes below it. */
function Below({ place, hosts }: Pick<NodePanelProps, 'place' | 'hosts'>) {
  const words = useWords(topology)
  const counts = useMemo(() => countBelow(place), [place])
  return (
    <dl className="figures">
      <div>
        <dt>{words.id}</dt>
        <dd>{place.id}</dd>
      </div>
      {counts.map((each) => (
        <div key={each.object}>
          <dt>
            <Station object={each.object} size={8} />
            {each.name}
          </dt>
          <dd>{number(each.count)}</dd>
        </div>
      ))}
      <div>
        <dt>
          <Station object="host" size={8} />
          {words.tabs.hosts}
        </dt>
        <dd>{hosts === undefined ? '–' : number(hosts)}</dd>
      </div>
    </dl>
  )
}
