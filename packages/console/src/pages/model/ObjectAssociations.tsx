import { associations as operations } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../kit/Button.tsx'
import { DeleteDialog } from '../../kit/DeleteDialog.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { useWords } from '../../words/index.ts'
import { model } from '../../words/model.ts'
import { objectAssociations } from '../../words/model-rules.ts'
import { EditAssociation, NewAssociation } from './AssociationDialogs.tsx'
import { associationsOf, kinds, type ObjectAssociation, type ObjectRecord } from './questions.ts'

interface ObjectAssociationsProps {
  object: ObjectRecord
  objects: readonly ObjectRecord[]
  /** Why the caller may not change the model. */
  refused: string | undefined
}

type Asked = { what: 'new' } | { what: 'edit' | 'delete'; association: ObjectAssociation }

/** What instances of an object may be associated with. */
export function ObjectAssociations({ object, objects, refused }: ObjectAssociationsProps) {
  const words = useWords(objectAssociations)
  const found = useQuery(associationsOf(object.bk_obj_id))
  const [asked, setAsked] = useState<Asked | null>(null)
  const close = () => setAsked(null)
  return (
    <section className="object-rules" aria-label={words.title}>
      <header>
        <h3>{words.title}</h3>
        <Button icon="plus" look="quiet" because={refused} onPress={() => setAsked({ what: 'new' })}>
          {words.add}
        </Button>
      </header>
      <p className="quiet">{words.why}</p>
      {found.error && <Failure error={found.error} retry={found.refetch} />}
      {found.data?.length === 0 && <p className="quiet">{words.none}</p>}
      {found.data && found.data.length > 0 && (
        <Table associations={found.data} objects={objects} refused={refused} onAsk={setAsked} />
      )}
      {asked?.what === 'new' && <NewAssociation object={object} objects={objects} onClose={close} />}
      {asked?.what === 'edit' && <EditAssociation association={asked.association} onClose={close} />}
      {asked?.what === 'delete' && (
        <DeleteDialog
          subject="model"
          title={words.deleteTitle(asked.association.bk_obj_asst_id)}
          action={words.delete(asked.association.bk_obj_asst_id)}
          told={words.deleted(asked.association.bk_obj_asst_id)}
          remove={() => call(operations.deleteObjectAssociation, { params: { id: asked.association.id } })}
          onClose={close}
          onGone={() => {}}
        >
          <p>{words.deleteWhy}</p>
        </DeleteDialog>
      )}
    </section>
  )
}

interface TableProps {
  associations: readonly ObjectAssociation[]
  objects: readonly ObjectRecord[]
  refused: string | undefined
  onAsk(asked: Asked): void
}

function Table({ associations, objects, refused, onAsk }: TableProps) {
  const words = useWords(objectAssociations)
  const { builtIn } = useWords(model)
  const nameOf = (id: string) => objects.find((each) => each.bk_obj_id === id)?.bk_obj_name ?? id
  const kindNames = useQuery(kinds()).data
  const kindName = (id: string) => kindNames?.find((each) => each.bk_asst_id === id)?.bk_asst_name || id
  return (
    <div className="wide-table">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{words.identifier}</th>
            <th scope="col">{words.source}</th>
            <th scope="col">{words.kind}</th>
            <th scope="col">{words.target}</th>
            <th scope="col">{words.mapping}</th>
            <th scope="col">{words.onDelete}</th>
            <th scope="col">
              <span className="unseen">{words.title}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {associations.map((association) => {
            const { bk_obj_asst_id: id, bk_obj_asst_name: name, ispre } = association
            const kept = ispre ? words.mainLine : refused
            return (
              <tr key={association.id}>
                <th scope="row">
                  <code>{id}</code> {name} {ispre && <span className="tag">{builtIn}</span>}
                </th>
                <td>{nameOf(association.bk_obj_id)}</td>
                <td>{kindName(association.bk_asst_id)}</td>
                <td>{nameOf(association.bk_asst_obj_id)}</td>
                <td title={words.mappings[association.mapping]}>{association.mapping}</td>
                <td>{words.deletions[association.on_delete]}</td>
                <td className="row-actions">
                  <Button
                    look="quiet"
                    icon="pencil"
                    label={words.edit(id)}
                    because={kept}
                    onPress={() => onAsk({ what: 'edit', association })}
                  />
                  <Button
                    look="quiet"
                    icon="bin"
                    label={words.delete(id)}
                    because={kept}
                    onPress={() => onAsk({ what: 'delete', association })}
                  />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
