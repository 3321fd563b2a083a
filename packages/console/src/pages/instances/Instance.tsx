import { instances as operations } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { useRefusal } from '../../api/may.ts'
import { attributesOf } from '../../api/model.ts'
import { Empty, Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { PageTitle } from '../../kit/PageTitle.tsx'
import { Station } from '../../kit/Station.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { instances } from '../../words/instances.ts'
import { AttributeList } from '../topology/AttributeList.tsx'
import { Associations } from './Associations.tsx'
import { ImpactView } from './ImpactView.tsx'
import { DeleteInstance, EditInstance } from './InstanceDialogs.tsx'
import { nameOf, oneInstance } from './questions.ts'
import './instances.css'

export const route = createLazyRoute('/instances/$object/$instance')({ component: InstancePage })

function InstancePage() {
  const words = useWords(instances)
  const general = useWords(common)
  const { object, instance } = route.useParams()
  const id = Number(instance)
  const { tab = 'attributes', direction, depth } = route.useSearch()
  const navigate = useNavigate({ from: '/instances/$object/$instance' })
  const found = useQuery(oneInstance(object, id))
  const attributes = useQuery(attributesOf(object))
  const [asked, setAsked] = useState<'edit' | 'delete' | null>(null)
  const about = { bk_obj_id: object, bk_inst_id: id }
  const editRefused = useRefusal(operations.updateInstance, about)
  const deleteRefused = useRefusal(operations.deleteInstance, about)
  const error = found.error ?? attributes.error
  if (error) {
    return (
      <main className="page" id="content">
        <div className="content">
          <Failure error={error} retry={found.refetch} />
        </div>
      </main>
    )
  }
  if (found.data === null) {
    return (
      <main className="page" id="content">
        <Empty title={words.gone} page>
          <p>{words.goneWhy}</p>
          <Link to="/instances/$object" params={{ object }}>
            {words.back}
          </Link>
        </Empty>
      </main>
    )
  }
  const record = found.data
  const name = record ? nameOf(record) : ''
  const loading = record && attributes.data ? undefined : general.loading
  return (
    <main className="page" id="content">
      <header>
        <Station object={object} kind="other" size={14} />
        <PageTitle text={name} />
        <Link to="/instances/$object" params={{ object }} className="quiet">
          {words.back}
        </Link>
        <div className="actions">
          <Button icon="pencil" because={editRefused ?? loading} onPress={() => setAsked('edit')}>
            {general.edit}
          </Button>
          <Button
            icon="bin"
            because={deleteRefused ?? loading ?? (record?.default ? words.builtIn : undefined)}
            onPress={() => setAsked('delete')}
          >
            {general.delete}
          </Button>
        </div>
      </header>
      <div className="instance-detail">
        <Tabs
          selectedKey={tab}
          onSelectionChange={(key) => navigate({ search: { tab: String(key) }, replace: true, resetScroll: false })}
        >
          <TabList className="tabs" aria-label={words.title}>
            {(['attributes', 'associations', 'impact'] as const).map((each) => (
              <Tab key={each} id={each} className="tab">
                {words.tabs[each]}
              </Tab>
            ))}
          </TabList>
          <TabPanel id="attributes" className="instance-tab">
            {record && attributes.data ? (
              <AttributeList attributes={attributes.data} record={record} of={{ bk_obj_id: object, bk_inst_id: id }} />
            ) : (
              <Skeleton lines={8} height={20} />
            )}
          </TabPanel>
          <TabPanel id="associations" className="instance-tab">
            <Associations end={{ bk_obj_id: object, bk_inst_id: id, bk_inst_name: name }} />
          </TabPanel>
          <TabPanel id="impact" className="instance-tab">
            <ImpactView
              object={object}
              id={id}
              direction={direction}
              depth={depth}
              onChange={(next) => navigate({ search: { tab: 'impact', ...next }, replace: true, resetScroll: false })}
            />
          </TabPanel>
        </Tabs>
      </div>
      {asked === 'edit' && record && attributes.data && (
        <EditInstance object={object} instance={record} attributes={attributes.data} onClose={() => setAsked(null)} />
      )}
      {asked === 'delete' && record && (
        <DeleteInstance object={object} instance={record} onClose={() => setAsked(null)} />
      )}
    </main>
  )
}
