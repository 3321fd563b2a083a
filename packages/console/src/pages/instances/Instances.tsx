import { instances as operations } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useRefusal } from '../../api/may.ts'
import { chain } from '../../api/model.ts'
import { Empty, Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { SearchField } from '../../kit/Field.tsx'
import { Pager, startIn, useLastPage } from '../../kit/Pager.tsx'
import { PageTitle } from '../../kit/PageTitle.tsx'
import { Select } from '../../kit/Select.tsx'
import { Station } from '../../kit/Station.tsx'
import { usePreferences } from '../../preferences.ts'
import { moment, useWords } from '../../words/index.ts'
import { instances } from '../../words/instances.ts'
import { classified } from '../model/questions.ts'
import { AddInstance } from './InstanceDialogs.tsx'
import { findInstances, type Instance, nameOf } from './questions.ts'
import './instances.css'

export const route = createLazyRoute('/instances/$object')({ component: Instances })

/** Its page is not part of this program. */
const withoutInstances = ['process']

/** The objects beside the main line, cloud areas first. */
function useObjects() {
  const found = useQuery(classified())
  const line = useQuery(chain())
  const onLine = line.data?.map((each) => each.bk_obj_id)
  const objects =
    onLine &&
    found.data
      ?.flatMap((each) => each.bk_objects)
      .filter(({ bk_obj_id: id }) => !onLine.includes(id) && !withoutInstances.includes(id))
      .toSorted((one, other) => Number(other.bk_obj_id === 'plat') - Number(one.bk_obj_id === 'plat'))
  return { objects, error: found.error ?? line.error }
}

function Instances() {
  const words = useWords(instances)
  const { object } = route.useParams()
  const { find = '', ...view } = route.useSearch()
  const { pageSize } = usePreferences()
  const start = startIn(view.start)
  const navigate = useNavigate({ from: '/instances/$object' })
  const { objects, error } = useObjects()
  const found = useQuery({ ...findInstances(object, find, start, pageSize), placeholderData: (before) => before })
  const [adding, setAdding] = useState(false)
  const refused = useRefusal(operations.createInstance, { bk_obj_id: object })
  const count = found.data?.count ?? 0
  const turn = (next: number, replace: boolean) =>
    navigate({ search: { ...(find && { find }), ...(next > 0 && { start: String(next) }) }, replace })
  const known = found.isPlaceholderData ? undefined : found.data?.count
  useLastPage({ start, limit: pageSize, count: known }, (last) => turn(last, true))
  const objectName = objects?.find((each) => each.bk_obj_id === object)?.bk_obj_name ?? object
  const failure = found.error ?? error
  return (
    <main className="page" id="content">
      <header>
        <Station object={object} kind="other" size={14} />
        <PageTitle text={objectName} />
        {count > 0 && <span className="quiet">{words.count(count)}</span>}
        <div className="actions">
          <Button icon="plus" look="primary" because={refused} onPress={() => setAdding(true)}>
            {words.add}
          </Button>
        </div>
      </header>
      <div className="content">
        <div className="instance-tools">
          <Select
            label={words.object}
            bare
            value={object}
            onChange={(next) =>
              next && void navigate({ to: '/instances/$object', params: { object: next }, search: {} })
            }
            choices={(objects ?? []).map((each) => ({ id: each.bk_obj_id, name: each.bk_obj_name }))}
          />
          <SearchField
            label={words.find}
            value={find}
            onChange={(sought) => navigate({ search: sought ? { find: sought } : {}, replace: true })}
          />
        </div>
        {failure && <Failure error={failure} retry={found.refetch} />}
        {!found.data && !failure && <Skeleton lines={6} height={28} />}
        {found.data && count === 0 && (
          <Empty title={find ? words.noMatch : words.none}>{!find && <p>{words.noneWhy}</p>}</Empty>
        )}
        {found.data && count > 0 && <List object={object} rows={found.data.rows} />}
        {count > pageSize && (
          <Pager start={start} limit={pageSize} count={count} onStart={(next) => turn(next, false)} />
        )}
      </div>
      {adding && <AddInstance object={object} objectName={objectName} onClose={() => setAdding(false)} />}
    </main>
  )
}

function List({ object, rows }: { object: string; rows: readonly Instance[] }) {
  const words = useWords(instances)
  return (
    <div className="wide-table">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{words.name}</th>
            <th scope="col" className="number">
              ID
            </th>
            <th scope="col">{words.changed}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.bk_inst_id}>
              <th scope="row">
                <Link to="/instances/$object/$instance" params={{ object, instance: String(row.bk_inst_id) }}>
                  {nameOf(row)}
                </Link>
              </th>
              <td className="number">{row.bk_inst_id}</td>
              <td>{moment(row.last_time)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
