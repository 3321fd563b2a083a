import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useReadOnly } from '../../api/may.ts'
import { Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { DeleteDialog } from '../../kit/DeleteDialog.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { useWords } from '../../words/index.ts'
import { instances } from '../../words/instances.ts'
import { AddAssociation } from './AddAssociation.tsx'
import { EndLink } from './EndLink.tsx'
import { Neighbourhood } from './Neighbourhood.tsx'
import { dissociate, type End, neighbourhoodOf, relatedTo } from './questions.ts'
import './instances.css'

interface Row {
  readonly id: number
  readonly role: 'source' | 'target'
  readonly objectName: string
  readonly end: End
}

/** What an instance is associated with: as a picture, and as a list in which associations are removed. */
export function Associations({ end }: { end: End }) {
  const words = useWords(instances)
  const [asked, setAsked] = useState<'add' | Row | null>(null)
  const readOnly = useReadOnly()
  const neighbours = useQuery(neighbourhoodOf(end.bk_obj_id, end.bk_inst_id))
  const related = useQuery(relatedTo(end.bk_obj_id, end.bk_inst_id))
  if (neighbours.error) return <Failure error={neighbours.error} retry={neighbours.refetch} />
  if (!neighbours.data) return <Skeleton lines={6} height={24} />
  const names = new Map(related.data?.map((each) => [each.id, each.bk_obj_asst_id]))
  const { prev, next } = neighbours.data
  const rows = [
    ...prev.flatMap((group) => group.children.map((each) => ({ each, role: 'source' as const }))),
    ...next.flatMap((group) => group.children.map((each) => ({ each, role: 'target' as const }))),
  ].map(({ each, role }): Row => ({ id: each.asso_id, role, objectName: each.bk_obj_name, end: each }))
  const close = () => setAsked(null)
  return (
    <>
      <div className="instance-tools">
        <h2>{words.neighbourhood}</h2>
        <Button icon="plus" because={readOnly} onPress={() => setAsked('add')}>
          {words.associate}
        </Button>
      </div>
      {rows.length === 0 ? (
        <p className="quiet">{words.noAssociations}</p>
      ) : (
        <>
          <Neighbourhood name={end.bk_inst_name} neighbours={neighbours.data} />
          <h2>{words.list}</h2>
          <List rows={rows} names={names} onRemove={setAsked} />
        </>
      )}
      {asked === 'add' && <AddAssociation end={end} onClose={close} />}
      {asked !== null && asked !== 'add' && (
        <DeleteDialog
          subject="nodes"
          title={words.removeTitle(asked.end.bk_inst_name)}
          action={words.removeAction}
          told={words.removed}
          remove={() => dissociate(asked.id)}
          onClose={close}
          onGone={close}
        >
          <p>{words.removeWhy}</p>
        </DeleteDialog>
      )}
    </>
  )
}

interface ListProps {
  rows: readonly Row[]
  /** The associations of the objects, by the id of the association. */
  names: ReadonlyMap<number, string>
  onRemove(row: Row): void
}

function List({ rows, names, onRemove }: ListProps) {
  const words = useWords(instances)
  const readOnly = useReadOnly()
  return (
    <div className="wide-table">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{words.instance}</th>
            <th scope="col">{words.object}</th>
            <th scope="col">{words.association}</th>
            <th scope="col">{words.role}</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.role} ${row.id}`}>
              <th scope="row">
                <EndLink end={row.end} />
              </th>
              <td>{row.objectName}</td>
              <td>
                <code>{names.get(row.id)}</code>
              </td>
              <td>{words.roles[row.role]}</td>
              <td>
                <div className="buttons ends">
                  <Button
                    icon="bin"
                    look="quiet"
                    label={words.remove(row.end.bk_inst_name)}
                    because={readOnly}
                    onPress={() => onRemove(row)}
                  />
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
