import { associations as operations } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useChange } from '../../api/ask.ts'
import { call } from '../../api/call.ts'
import { Dialog } from '../../kit/Dialog.tsx'
import { TextField } from '../../kit/Field.tsx'
import { Select } from '../../kit/Select.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { objectAssociations } from '../../words/model-rules.ts'
import { kinds, type ObjectAssociation, type ObjectRecord } from './questions.ts'

const { mappings, deletions } = operations
type Mapping = ObjectAssociation['mapping']
type Deletion = ObjectAssociation['on_delete']
const roles = ['source', 'target'] as const
type Role = (typeof roles)[number]

interface NewAssociationProps {
  object: ObjectRecord
  objects: readonly ObjectRecord[]
  onClose(): void
}

export function NewAssociation({ object, objects, onClose }: NewAssociationProps) {
  const words = useWords(objectAssociations)
  const { create, check } = useWords(common)
  const [role, setRole] = useState<Role>('source')
  const [other, setOther] = useState('')
  const [mapping, setMapping] = useState<Mapping>('n:n')
  const rest = useRest({ bk_asst_id: 'default', on_delete: 'none', bk_obj_asst_name: '' })
  const [tried, setTried] = useState(false)
  const change = useChange('model', () => {
    const [source, target] = role === 'source' ? [object.bk_obj_id, other] : [other, object.bk_obj_id]
    return call(operations.createObjectAssociation, {
      body: { bk_obj_id: source, bk_asst_obj_id: target, mapping, ...rest.values },
    })
  })
  const make = () => {
    setTried(true)
    if (other) change.mutate(undefined, { onSuccess: onClose })
  }
  return (
    <Dialog
      title={words.addTitle(object.bk_obj_name)}
      action={create}
      busy={change.isPending}
      error={change.error}
      onAction={make}
      onClose={onClose}
    >
      <Select
        label={words.role}
        required
        value={role}
        onChange={(id) => setRole(roles.find((each) => each === id) ?? 'source')}
        choices={roles.map((id) => ({ id, name: words.roles[id] }))}
      />
      <Select
        label={words.other}
        required
        value={other}
        onChange={setOther}
        problem={tried && !other ? check.required : undefined}
        choices={objects.map((each) => ({ id: each.bk_obj_id, name: each.bk_obj_name }))}
      />
      <Select
        label={words.mapping}
        required
        value={mapping}
        onChange={(id) => setMapping(mappings.find((each) => each === id) ?? 'n:n')}
        choices={mappings.map((id) => ({ id, name: `${id}: ${words.mappings[id]}` }))}
      />
      <RestFields {...rest} />
    </Dialog>
  )
}

interface EditAssociationProps {
  association: ObjectAssociation
  onClose(): void
}

/** Objects and mapping are fixed. */
export function EditAssociation({ association, onClose }: EditAssociationProps) {
  const words = useWords(objectAssociations)
  const { save } = useWords(common)
  const rest = useRest(association)
  const change = useChange('model', () =>
    call(operations.updateObjectAssociation, { params: { id: association.id }, body: rest.values }),
  )
  return (
    <Dialog
      title={words.edit(association.bk_obj_asst_id)}
      action={save}
      busy={change.isPending}
      error={change.error}
      onAction={() => change.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <RestFields {...rest} />
    </Dialog>
  )
}

/** What can be changed later. */
type Rest = Pick<ObjectAssociation, 'bk_asst_id' | 'on_delete' | 'bk_obj_asst_name'>

function useRest({ bk_asst_id, on_delete, bk_obj_asst_name }: Rest) {
  const [kind, setKind] = useState(bk_asst_id)
  const [onDelete, setOnDelete] = useState<Deletion>(on_delete)
  const [name, setName] = useState(bk_obj_asst_name)
  const values: Rest = { bk_asst_id: kind, on_delete: onDelete, bk_obj_asst_name: name.trim() }
  return { values, setKind, setOnDelete, setName }
}

function RestFields({ values, setKind, setOnDelete, setName }: ReturnType<typeof useRest>) {
  const words = useWords(objectAssociations)
  const choices = useQuery(kinds()).data ?? []
  return (
    <>
      <Select
        label={words.kind}
        required
        value={values.bk_asst_id}
        onChange={setKind}
        choices={choices.map((each) => ({ id: each.bk_asst_id, name: each.bk_asst_name || each.bk_asst_id }))}
      />
      <Select
        label={words.onDelete}
        required
        value={values.on_delete}
        onChange={(id) => setOnDelete(deletions.find((each) => each === id) ?? 'none')}
        choices={deletions.map((id) => ({ id, name: words.deletions[id] }))}
      />
      <TextField label={words.name} value={values.bk_obj_asst_name} onChange={setName} />
    </>
  )
}
