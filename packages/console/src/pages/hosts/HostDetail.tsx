import { hosts as operations } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../../api/ask.ts'
import { call } from '../../api/call.ts'
import { attributesOf, forEditing } from '../../api/model.ts'
import { AttributeFields } from '../../forms/AttributeFields.tsx'
import { type Attribute, check, type Draft, differences, draftOf } from '../../forms/attributes.ts'
import { Empty, Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { Dialog } from '../../kit/Dialog.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { Station } from '../../kit/Station.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { common } from '../../words/common.ts'
import { hosts } from '../../words/hosts.ts'
import { useWords } from '../../words/index.ts'
import { findRecords } from '../audit/questions.ts'
import { Timeline } from '../audit/Timeline.tsx'
import { AttributeList } from '../topology/AttributeList.tsx'
import { keyOf } from '../topology/tree.ts'
import { type HostRow, oneHost } from './questions.ts'
import './hosts.css'

export const route = createLazyRoute('/hosts/$host')({ component: HostDetail })

function HostDetail() {
  const words = useWords(hosts)
  const general = useWords(common)
  const id = Number(route.useParams().host)
  const row = useQuery(oneHost(id))
  const attributes = useQuery(attributesOf('host')).data
  const [editing, setEditing] = useState(false)
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
        <Empty title={words.gone}>
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
        <h1>{row.data?.host.bk_host_innerip ?? ' '}</h1>
        <span className="quiet">{String(row.data?.host.bk_host_name ?? '')}</span>
        <div className="actions">
          <Button icon="pencil" onPress={() => setEditing(true)}>
            {general.edit}
          </Button>
        </div>
      </header>
      <div className="host-detail">
        {!row.data || !attributes ? (
          <Skeleton lines={12} height={20} />
        ) : (
          <>
            <Places row={row.data} />
            <section>
              <h2>{words.detail.attributes}</h2>
              <AttributeList attributes={attributes} record={row.data.host} />
            </section>
          </>
        )}
        <History id={id} />
      </div>
      {editing && row.data && attributes && (
        <EditHost host={row.data.host} attributes={attributes} onClose={() => setEditing(false)} />
      )}
    </main>
  )
}

function Places({ row }: { row: HostRow }) {
  const words = useWords(hosts)
  const [business] = row.biz
  return (
    <section>
      <h2>{words.detail.places}</h2>
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
                {module.TopModuleName.replaceAll('##', ' / ')}
              </Link>
            ) : (
              module.TopModuleName.replaceAll('##', ' / ')
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function History({ id }: { id: number }) {
  const words = useWords(hosts)
  const found = useQuery(findRecords({ op_target: 'host', inst_id: id }, 0, 20))
  return (
    <section>
      <h2>{words.detail.history}</h2>
      {found.error ? (
        <Failure error={found.error} retry={found.refetch} />
      ) : !found.data ? (
        <Skeleton lines={3} height={24} />
      ) : found.data.count === 0 ? (
        <p className="quiet">{words.noHistory}</p>
      ) : (
        <Timeline records={found.data.records} />
      )}
    </section>
  )
}

interface EditHostProps {
  host: HostRow['host']
  attributes: readonly Attribute[]
  onClose(): void
}

function EditHost({ host, attributes, onClose }: EditHostProps) {
  const words = useWords(hosts)
  const general = useWords(common)
  const asked = forEditing(attributes)
  const before = draftOf(asked, host)
  const [draft, setDraft] = useState<Draft>(before)
  const [tried, setTried] = useState(false)
  const change = useChange((values: Record<string, unknown>) =>
    call(operations.updateHosts, { body: { bk_host_id: String(host.bk_host_id), ...values } }),
  )
  const save = () => {
    setTried(true)
    if (asked.some((each) => check(each, draft[each.bk_property_id] ?? '', general.check))) return
    const values = differences(asked, before, draft)
    if (Object.keys(values).length === 0) return onClose()
    change.mutate(values, {
      onSuccess: () => {
        tell(words.edited(1))
        onClose()
      },
    })
  }
  return (
    <Dialog
      title={words.editTitle(1)}
      action={general.save}
      wide
      busy={change.isPending}
      error={change.error}
      onAction={save}
      onClose={onClose}
    >
      <AttributeFields attributes={asked} draft={draft} onChange={setDraft} tried={tried} error={change.error} />
    </Dialog>
  )
}
