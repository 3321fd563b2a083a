import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../../api/ask.ts'
import { reasonIn } from '../../api/failures.ts'
import { attributesOf, forCreating, forEditing } from '../../api/model.ts'
import { AttributeFields } from '../../forms/AttributeFields.tsx'
import { type Attribute, check, type Draft, emptyDraft, filledIn } from '../../forms/attributes.ts'
import { useEditing } from '../../forms/editing.ts'
import { Skeleton } from '../../kit/Blank.tsx'
import { DeleteDialog } from '../../kit/DeleteDialog.tsx'
import { Dialog } from '../../kit/Dialog.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { instances } from '../../words/instances.ts'
import {
  createInstance,
  deleteInstance,
  type Instance,
  lossOf,
  nameField,
  nameOf,
  updateInstance,
} from './questions.ts'

interface AddInstanceProps {
  object: string
  objectName: string
  onClose(): void
}

export function AddInstance({ object, objectName, onClose }: AddInstanceProps) {
  const words = useWords(instances)
  const general = useWords(common)
  const navigate = useNavigate()
  const model = useQuery(attributesOf(object))
  const attributes = forCreating(model.data ?? [])
  const [typed, setTyped] = useState<Draft>({})
  const [tried, setTried] = useState(false)
  const draft = { ...emptyDraft(attributes), ...typed }
  const change = useChange('nodes', (values: Record<string, unknown>) => createInstance(object, values))
  const save = () => {
    setTried(true)
    if (attributes.some((each) => check(each, draft[each.bk_property_id] ?? '', general.check))) return
    change.mutate(filledIn(attributes, draft), {
      onSuccess: ({ bk_inst_id: id }) => {
        tell(words.added(draft[nameField(object)] ?? ''), change.request())
        onClose()
        void navigate({ to: '/instances/$object/$instance', params: { object, instance: String(id) } })
      },
    })
  }
  return (
    <Dialog
      title={words.addTitle(objectName)}
      action={general.create}
      busy={change.isPending}
      because={model.data ? undefined : general.loading}
      error={change.error ?? model.error}
      onAction={save}
      onClose={onClose}
    >
      {model.data ? (
        <AttributeFields attributes={attributes} draft={draft} onChange={setTyped} tried={tried} error={change.error} />
      ) : (
        <Skeleton lines={5} height={30} />
      )}
    </Dialog>
  )
}

interface EditInstanceProps {
  object: string
  instance: Instance
  attributes: readonly Attribute[]
  onClose(): void
}

export function EditInstance({ object, instance, attributes, onClose }: EditInstanceProps) {
  const words = useWords(instances)
  const general = useWords(common)
  const { fields, save, busy, error } = useEditing({
    subject: 'nodes',
    attributes: forEditing(attributes),
    record: instance,
    update: (values, ifMatch) => updateInstance(object, instance.bk_inst_id, values, ifMatch),
    saved: general.saved,
    onDone: onClose,
  })
  return (
    <Dialog
      title={words.editTitle(nameOf(instance))}
      action={general.save}
      busy={busy}
      error={error}
      onAction={save}
      onClose={onClose}
    >
      <AttributeFields {...fields} />
    </Dialog>
  )
}

/** Of the instances that are deleted as well. */
const mostNamed = 20

export function DeleteInstance({ object, instance, onClose }: Omit<EditInstanceProps, 'attributes'>) {
  const words = useWords(instances)
  const general = useWords(common)
  const navigate = useNavigate()
  const name = nameOf(instance)
  const loss = useQuery(lossOf(object, instance.bk_inst_id))
  const others = loss.data?.goes.filter((each) => each.bk_obj_id !== object || each.bk_inst_id !== instance.bk_inst_id)
  return (
    <DeleteDialog
      subject="nodes"
      title={words.deleteTitle(name)}
      action={general.delete}
      because={loss.data ? undefined : (reasonIn(loss.error) ?? words.checking)}
      told={words.deleted(name)}
      remove={() => deleteInstance(object, instance.bk_inst_id, instance.bk_revision)}
      onClose={onClose}
      onGone={() => void navigate({ to: '/instances/$object', params: { object } })}
    >
      <p>{words.deleteWhy}</p>
      {loss.error && <Failure error={loss.error} retry={loss.refetch} />}
      {loss.data && others && others.length > 0 && (
        <>
          <p>{words.alsoDeleted(loss.data.count - 1)}</p>
          <ul>
            {others.slice(0, mostNamed).map((each) => (
              <li key={`${each.bk_obj_id} ${each.bk_inst_id}`}>{each.bk_inst_name}</li>
            ))}
          </ul>
        </>
      )}
    </DeleteDialog>
  )
}
