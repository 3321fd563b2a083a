import { model as operations } from '@mainline/contract'
import { useState } from 'react'
import { useChange } from '../../api/ask.ts'
import { call } from '../../api/call.ts'
import { DeleteDialog } from '../../kit/DeleteDialog.tsx'
import { Dialog } from '../../kit/Dialog.tsx'
import { TextField } from '../../kit/Field.tsx'
import { Select } from '../../kit/Select.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { model } from '../../words/model.ts'
import { NamingFields, useNaming } from './Naming.tsx'
import type { Classification, ObjectRecord } from './questions.ts'

const choicesOf = (classifications: readonly Classification[]) =>
  classifications.map((each) => ({ id: each.bk_classification_id, name: each.bk_classification_name }))

interface NewObjectProps {
  classifications: readonly Classification[]
  onClose(): void
  onMade(object: string): void
}

export function NewObject({ classifications, onClose, onMade }: NewObjectProps) {
  const words = useWords(model)
  const { create, check } = useWords(common)
  const naming = useNaming()
  const { id } = naming
  const name = naming.name.trim()
  const [classification, setClassification] = useState('')
  const [tried, setTried] = useState(false)
  const problems = { ...naming.problems, classification: classification ? undefined : check.required }
  const change = useChange('model', () =>
    call(operations.createObject, {
      body: { bk_obj_id: id, bk_obj_name: name, bk_classification_id: classification },
    }),
  )
  const make = () => {
    setTried(true)
    if (problems.name || problems.id || problems.classification) return
    change.mutate(undefined, {
      onSuccess: () => {
        tell(words.objectCreated(name), change.request())
        onClose()
        onMade(id)
      },
    })
  }
  return (
    <Dialog
      title={words.newObject}
      action={create}
      busy={change.isPending}
      error={change.error}
      onAction={make}
      onClose={onClose}
    >
      <NamingFields naming={naming} label={words.name} tried={tried} />
      <Select
        label={words.classification}
        value={classification}
        onChange={setClassification}
        choices={choicesOf(classifications)}
        problem={tried ? problems.classification : undefined}
        required
      />
    </Dialog>
  )
}

interface EditObjectProps {
  object: ObjectRecord
  classifications: readonly Classification[]
  onClose(): void
}

export function EditObject({ object, classifications, onClose }: EditObjectProps) {
  const words = useWords(model)
  const { save, check } = useWords(common)
  const [name, setName] = useState(object.bk_obj_name)
  const [classification, setClassification] = useState(object.bk_classification_id)
  const problem = name.trim() ? undefined : check.required
  const change = useChange('model', () =>
    call(operations.updateObject, {
      params: { id: object.id },
      body: {
        ...(name.trim() !== object.bk_obj_name && { bk_obj_name: name.trim() }),
        ...(classification !== object.bk_classification_id && { bk_classification_id: classification }),
      },
    }),
  )
  return (
    <Dialog
      title={words.editObject}
      action={save}
      busy={change.isPending}
      error={change.error}
      because={problem}
      onAction={() => change.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextField label={words.name} value={name} onChange={setName} problem={problem} required autoFocus />
      <Select
        label={words.classification}
        value={classification}
        onChange={setClassification}
        choices={choicesOf(classifications)}
        required
      />
    </Dialog>
  )
}

export function DeleteObject({ object, onClose, onGone }: { object: ObjectRecord; onClose(): void; onGone(): void }) {
  const words = useWords(model)
  return (
    <DeleteDialog
      subject="model"
      title={words.deleteObjectTitle(object.bk_obj_name)}
      action={words.deleteObject}
      told={words.deletedObject(object.bk_obj_name)}
      remove={() => call(operations.deleteObject, { params: { id: object.id } })}
      onClose={onClose}
      onGone={onGone}
    >
      <p>{words.deleteObjectWhy}</p>
    </DeleteDialog>
  )
}
