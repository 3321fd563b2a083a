import { hosts as operations } from '@mainline/contract'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { useRefusal } from '../../api/may.ts'
import { useHostModel } from '../../api/model.ts'
import { Empty, Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { PageTitle } from '../../kit/PageTitle.tsx'
import { Station } from '../../kit/Station.tsx'
import { common } from '../../words/common.ts'
import { hosts } from '../../words/hosts.ts'
import { useWords } from '../../words/index.ts'
import { past } from '../../words/past.ts'
import { findRecords } from '../audit/questions.ts'
import { Timeline } from '../audit/Timeline.tsx'
import { Associations } from '../instances/Associations.tsx'
import { ImpactView } from '../instances/ImpactView.tsx'
import { AttributeList } from '../topology/AttributeList.tsx'
import { keyOf } from '../topology/tree.ts'
import { EditHost } from './EditHost.tsx'
import { HostEvents } from './HostEvents.tsx'
import { type HostRow, oneHost, placeOf } from './questions.ts'
import './hosts.css'

/** Number of audit records shown. */
const latest = 20

export const route = createLazyRoute('/hosts/$host')({ component: HostDetail })

function HostDetail() {
  const id = Number(route.useParams().host)
  const row = useQuery(oneHost(id))
  const model = useHostModel()
  // The form stays when the host is deleted by another user.
  const [edited, setEdited] = useState<HostRow['host'] | null>(null)
  return (
    <>
      <HostPage id={id} row={row} model={model} onEdit={() => setEdited(row.data?.host ?? null)} />
      {edited && model.attributes && (
        <EditHost host={edited} attributes={model.attributes} onClose={() => setEdited(null)} />
      )}
    </>
  )
}

interface HostPageProps {
  id: number
  row: UseQueryResult<HostRow | null>
  model: ReturnType<typeof useHostModel>
  onEdit(): void
}

function HostPage({ id, row, model, onEdit }: HostPageProps) {
  const words = useWords(hosts)
  const general = useWords(common)
  const { attributes } = model
  const refused = useRefusal(operations.updateHosts, { bk_host_id: id })
  const { tab = 'attributes', direction, depth } = route.useSearch()
  const address = row.data?.host.bk_host_innerip ?? ''
  const navigate = useNavigate({ from: '/hosts/$host' })
  if (row.error) {
    return (
      <main className="page" id="content">
        <div className="content">
          <Failure error={row.error} retry={row.refetch} />
        </div>
      </main>
    )
  }
  if (row.data === null) {
    return (
      <main className="page" id="content">
        <Empty title={words.gone} page>
          <p>{words.goneWhy}</p>
          <Link to="/hosts">{words.back}</Link>
        </Empty>
      </main>
    )
  }
  return (
    <main className="page" id="content">
      <header>
        <Station object="host" size={14} />
        <PageTitle text={address} />
        <span className="quiet">{String(row.data?.host.bk_host_name ?? '')}</span>
        <div className="actions">
          <Button icon="pencil" because={refused ?? (attributes ? undefined : general.loading)} onPress={onEdit}>
            {general.edit}
          </Button>
        </div>
      </header>
      <div className="host-detail">
        {row.data ? <Places row={row.data} /> : <Skeleton lines={1} height={24} />}
        <Tabs selectedKey={tab} onSelectionChange={(key) => navigate({ search: { tab: String(key) }, replace: true })}>
          <TabList className="tabs" aria-label={words.title}>
            {(['attributes', 'associations', 'impact', 'history', 'events'] as const).map((each) => (
              <Tab key={each} id={each} className="tab">
                {words.detail[each]}
              </Tab>
            ))}
          </TabList>
          <TabPanel id="attributes">
            {model.error ? (
              <Failure error={model.error} retry={model.retry} />
            ) : row.data && attributes ? (
              <>
                <h2 className="unseen">{words.detail.attributes}</h2>
                <AttributeList
                  attributes={attributes}
                  record={row.data.host}
                  of={{ bk_obj_id: 'host', bk_inst_id: id }}
                />
              </>
            ) : (
              <Skeleton lines={12} height={20} />
            )}
          </TabPanel>
          <TabPanel id="associations" className="host-tab">
            <Associations end={{ bk_obj_id: 'host', bk_inst_id: id, bk_inst_name: address }} />
          </TabPanel>
          <TabPanel id="impact" className="host-tab">
            <ImpactView
              object="host"
              id={id}
              direction={direction}
              depth={depth}
              onChange={(next) => navigate({ search: { tab: 'impact', ...next }, replace: true })}
            />
          </TabPanel>
          <TabPanel id="history" className="host-tab">
            <History id={id} />
          </TabPanel>
          <TabPanel id="events" className="host-tab">
            <HostEvents host={id} />
          </TabPanel>
        </Tabs>
      </div>
    </main>
  )
}

function Places({ row }: { row: HostRow }) {
  const words = useWords(hosts)
  const [business] = row.biz
  const pathOf = (module: HostRow['module'][number]) =>
    [business?.bk_biz_name, placeOf(module)].filter(Boolean).join(' / ')
  return (
    <section aria-label={words.detail.places}>
      <ul className="host-places">
        {row.module.map((module) => (
          <li key={module.bk_module_id}>
            <Station object="module" />
            {business && business.default !== 1 ? (
              <Link
                to="/topology/$business"
                params={{ business: String(business.bk_biz_id) }}
                search={{ node: keyOf('module', module.bk_module_id) }}
              >
                {pathOf(module)}
              </Link>
            ) : (
              pathOf(module)
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function History({ id }: { id: number }) {
  const words = useWords(hosts)
  const { compareMoments } = useWords(past)
  const found = useQuery(findRecords({ op_target: 'host', inst_id: id }, 0, latest))
  if (found.error) return <Failure error={found.error} retry={found.refetch} />
  if (!found.data) return <Skeleton lines={3} height={24} />
  if (found.data.count === 0) return <p className="quiet">{words.noHistory}</p>
  return (
    <>
      <h2 className="unseen">{words.detail.history}</h2>
      <Link to="/compare" search={{ object: 'host', instance: String(id) }}>
        {compareMoments}
      </Link>
      <Timeline records={found.data.records} />
      {found.data.count > latest && (
        <Link to="/audit" search={{ view: 'records', target: 'host', instance: String(id) }}>
          {words.allHistory}
        </Link>
      )}
    </>
  )
}
