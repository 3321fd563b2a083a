import { model as operations } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, useNavigate, Link as Way } from '@tanstack/react-router'
import { useState } from 'react'
import { useRefusal } from '../../api/may.ts'
import { chain, type Link } from '../../api/model.ts'
import { Empty, Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { PageTitle } from '../../kit/PageTitle.tsx'
import { type Kind, kindOf, Station } from '../../kit/Station.tsx'
import { useWords } from '../../words/index.ts'
import { model } from '../../words/model.ts'
import { Chain } from './Chain.tsx'
import { NewObject } from './ObjectDialogs.tsx'
import { ObjectPanel } from './ObjectPanel.tsx'
import { type Classification, classified } from './questions.ts'
import './model.css'

export const route = createLazyRoute('/model')({ component: Model })

function Model() {
  const words = useWords(model)
  const { object = 'biz' } = route.useSearch()
  const navigate = useNavigate({ from: '/model' })
  const line = useQuery(chain())
  const objects = useQuery(classified())
  const [creating, setCreating] = useState(false)
  const refused = useRefusal(operations.createObject)
  const error = line.error ?? objects.error
  const show = (id: string) => navigate({ search: { object: id } })
  const selected = objects.data?.flatMap((each) => each.bk_objects).find((each) => each.bk_obj_id === object)
  return (
    <main className="page" id="content">
      <header>
        <PageTitle text={words.title} />
        <div className="actions">
          <Button icon="plus" because={refused} onPress={() => setCreating(true)}>
            {words.newObject}
          </Button>
        </div>
      </header>
      {error && (
        <div className="content">
          <Failure error={error} retry={() => Promise.all([line.refetch(), objects.refetch()])} />
        </div>
      )}
      <Chain links={line.data} selected={object} refused={refused} onShow={show} />
      <div className="model">
        <Objects classifications={objects.data} line={line.data ?? []} selected={object} />
        {selected ? (
          <ObjectPanel
            key={selected.bk_obj_id}
            refused={refused}
            object={selected}
            classifications={objects.data ?? []}
            isLevel={line.data?.some((link) => link.bk_obj_id === object) ?? false}
            onGone={() => show('biz')}
          />
        ) : objects.data ? (
          <Empty title={words.noObject}>
            <p>{words.noObjectWhy}</p>
          </Empty>
        ) : (
          <Skeleton lines={10} height={22} />
        )}
      </div>
      {creating && <NewObject classifications={objects.data ?? []} onClose={() => setCreating(false)} onMade={show} />}
    </main>
  )
}

interface ObjectsProps {
  classifications: readonly Classification[] | undefined
  line: readonly Link[]
  selected: string
}

function Objects({ classifications, line, selected }: ObjectsProps) {
  const words = useWords(model)
  if (!classifications) {
    return (
      <div className="objects">
        <Skeleton lines={12} height={20} />
      </div>
    )
  }
  return (
    <nav className="objects" aria-label={words.objects}>
      {classifications
        .filter((each) => each.bk_objects.length > 0)
        .map((each) => (
          <section key={each.bk_classification_id}>
            <h2>{each.bk_classification_name}</h2>
            <ul>
              {each.bk_objects.map((object) => (
                <li key={object.bk_obj_id}>
                  <Way
                    to="/model"
                    search={{ object: object.bk_obj_id }}
                    className={object.bk_obj_id === selected ? 'place active' : 'place'}
                    activeProps={{}}
                    aria-current={object.bk_obj_id === selected ? 'page' : undefined}
                  >
                    <Station object={object.bk_obj_id} kind={kindOn(line, object.bk_obj_id)} />
                    <span className="truncate">{object.bk_obj_name}</span>
                    {object.bk_ispaused && <span className="tag warn">{words.paused}</span>}
                  </Way>
                </li>
              ))}
            </ul>
          </section>
        ))}
    </nav>
  )
}

const kindOn = (line: readonly Link[], object: string): Kind =>
  line.some((link) => link.bk_obj_id === object) ? kindOf(object) : 'other'
