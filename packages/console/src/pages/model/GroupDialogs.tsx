import { model as operations } from '@mainline/contract'
import { useState } from 'react'
import { useChange } from '../../api/ask.ts'
import { call } from '../../api/call.ts'
import { DeleteDialog } from '../../kit/DeleteDialog.tsx'
import { Dialog } from '../../kit/Dialog.tsx'
import { TextField } from '../../kit/Field.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { model } from '../../words/model.ts'
import { NamingFields, useNaming } from './Naming.tsx'
import type { Group, ObjectRecord } from './questions.ts'

export function NewGroup({ object, onClose }: { object: ObjectRecord; onClose(): void }) {
  const words = useWords(model)
  const { create } = useWords(common)
  const naming = useNaming()
  const { id, problems } = naming
  const name = naming.name.trim()
  const [tried, setTried] = useState(false)
  const change = useChange('model', () =>
    call(operations.createGroup, {
      body: { bk_obj_id: object.bk_obj_id, bk_group_id: id, bk_group_name: name },
    }),
  )
  const make = () => {
    setTried(true)
    if (!problems.name && !problems.id) change.mutate(undefined, { onSuccess: onClose })
  }
  return (
    <Dialog
      title={words.addGroupTitle(object.bk_obj_name)}
      action={create}
      busy={change.isPending}
      error={change.error}
      onAction={make}
      onClose={onClose}
    >
      <NamingFields naming={naming} label={words.name} tried={tried} />
    </Dialog>
  )
}

export function RenameGroup({ group, onClose }: { group: Group; onClose(): void }) {
  const words = useWords(model)
  const { save, check } = useWords(common)
  const [name, setName] = useState(group.bk_group_name)
  const problem = name.trim() ? undefined : check.required
  const change = useChange('model', () =>
    call(operations.updateGroup, { body: { condition: { id: group.id }, data: { bk_group_name: name.trim() } } }),
  )
  return (
    <Dialog
      title={words.renameGroup(group.bk_group_name)}
      action={save}
      busy={change.isPending}
      because={problem}
      error={change.error}
      onAction={() => change.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextField label={words.name} value={name} onChange={setName} problem={problem} required autoFocus />
    </Dialog>
  )
}

export function DeleteGroup({ group, onClose }: { group: Group; onClose(): void }) {
  const words = useWords(model)
  const general = useWords(common)
  return (
    <DeleteDialog
      subject="model"
      title={words.deleteGroupTitle(group.bk_group_name)}
      action={general.delete}
      told={words.deletedGroup(group.bk_group_name)}
      remove={() => call(operations.deleteGroup, { params: { id: group.id } })}
      onClose={onClose}
      onGone={() => {}}
    >
      <p>{words.deleteGroupWhy}</p>
    </DeleteDialog>
  )
}
