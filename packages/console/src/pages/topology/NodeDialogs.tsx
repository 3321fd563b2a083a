import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useChange } from '../../api/ask.ts'
import { attributesOf, forCreating } from '../../api/model.ts'
import { AttributeFields } from '../../forms/AttributeFields.tsx'
import { type Attribute, check, type Draft, emptyDraft, filledIn } from '../../forms/attributes.ts'
import { useEditing } from '../../forms/editing.ts'
import { useFirst, useSeenRevision } from '../../forms/seen-revision.ts'
import { Skeleton } from '../../kit/Blank.tsx'
import { DeleteDialog } from '../../kit/DeleteDialog.tsx'
import { Dialog } from '../../kit/Dialog.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { Station } from '../../kit/Station.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { topology } from '../../words/topology.ts'
import {
  archiveBusiness,
  createNode,
  deleteNode,
  type Loss,
  lossOf,
  nameOf,
  recordOf,
  updateNode,
  type Values,
} from './operations.ts'
import type { Place } from './tree.ts'

/** An action on a node. */
export type Asked =
  | { what: 'add'; place: Place; object: string; objectName: string }
  | { what: 'rename' | 'delete' | 'archive'; place: Place }

interface NodeDialogsProps {
  business: number
  asked: Asked
  onClose(): void
  onMade(object: string, id: number): void
  onGone(place: Place): void
}

export function NodeDialogs({ business, asked, onClose, onMade, onGone }: NodeDialogsProps) {
  const { place } = asked
  switch (asked.what) {
    case 'add':
      return (
        <Adding
          business={business}
          parent={place}
          object={asked.object}
          objectName={asked.objectName}
          onClose={onClose}
          onMade={onMade}
        />
      )
    case 'rename':
      return <Renaming business={business} place={place} onClose={onClose} />
    case 'delete':
      return <Deleting business={business} place={place} onClose={onClose} onGone={onGone} />
    case 'archive':
      return <Archiving business={business} place={place} onClose={onClose} onGone={onGone} />
  }
}

interface AddingProps {
  business: number
  parent: Place
  object: string
  objectName: string
  onClose(): void
  onMade(object: string, id: number): void
}

function Adding({ business, parent, object, objectName, onClose, onMade }: AddingProps) {
  const words = useWords(topology)
  const general = useWords(common)
  const model = useQuery(attributesOf(object))
  const attributes = forCreating(model.data ?? [])
  const [typed, setTyped] = useState<Draft>({})
  const [tried, setTried] = useState(false)
  const draft = { ...emptyDraft(attributes), ...typed }
  const change = useChange('nodes', (values: Values) => createNode(business, object, parent, values))
  const save = () => {
    setTried(true)
    if (attributes.some((each) => check(each, draft[each.bk_property_id] ?? '', general.check))) return
    change.mutate(filledIn(attributes, draft), {
      onSuccess: (id) => {
        tell(words.added(draft[nameOf(object)] ?? ''), change.request())
        onClose()
        onMade(object, id)
      },
    })
  }
  return (
    <Dialog
      title={words.addTitle(objectName, parent.name)}
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

/** The revision at the time of opening the dialog, so that a concurrent change is not overwritten. */
function useRevision(business: number, place: Place): number | undefined {
  const { data } = useQuery(recordOf(business, place))
  return useSeenRevision(data?.bk_revision as number | undefined, null)
}

interface RenamingProps {
  business: number
  place: Place
  onClose(): void
}

function Renaming({ business, place, onClose }: RenamingProps) {
  const words = useWords(topology)
  const general = useWords(common)
  const model = useQuery(attributesOf(place.object))
  const record = useQuery(recordOf(business, place))
  const begun = useFirst(record.data ?? undefined)
  const named = model.data?.filter((each) => each.bk_property_id === nameOf(place.object))
  if (named && begun) {
    return <RenameForm business={business} place={place} attributes={named} record={begun} onClose={onClose} />
  }
  return (
    <Dialog
      title={words.renameTitle(place.name)}
      action={words.rename}
      because={general.loading}
      error={model.error ?? record.error}
      onAction={onClose}
      onClose={onClose}
    >
      <Skeleton lines={2} height={30} />
    </Dialog>
  )
}

interface RenameFormProps extends RenamingProps {
  attributes: readonly Attribute[]
  record: Values
}

function RenameForm({ business, place, attributes, record, onClose }: RenameFormProps) {
  const words = useWords(topology)
  const { fields, save, busy, error } = useEditing({
    subject: place.object === 'biz' ? 'businesses' : 'nodes',
    attributes,
    record,
    update: (values, ifMatch) => updateNode(business, place, values, ifMatch),
    saved: words.saved,
    onDone: onClose,
  })
  return (
    <Dialog
      title={words.renameTitle(place.name)}
      action={words.rename}
      busy={busy}
      error={error}
      onAction={save}
      onClose={onClose}
    >
      <AttributeFields {...fields} />
    </Dialog>
  )
}

interface EndingProps {
  business: number
  place: Place
  onClose(): void
  onGone(place: Place): void
}

/** Shows what will be deleted, by the server's dry run. */
function Deleting({ business, place, onClose, onGone }: EndingProps) {
  const words = useWords(topology)
  const general = useWords(common)
  const loss = useQuery(lossOf(business, place))
  const hosts = loss.data?.hosts ?? 0
  const ifMatch = useRevision(business, place)
  return (
    <DeleteDialog
      subject="nodes"
      title={words.deleteTitle(place.objectName, place.name)}
      action={general.delete}
      because={
        loss.data && ifMatch !== undefined ? (hosts > 0 ? words.hostsInTheWay(hosts) : undefined) : words.checking
      }
      told={words.deleted(place.name)}
      remove={() => deleteNode(business, place, ifMatch)}
      onClose={onClose}
      onGone={() => onGone(place)}
    >
      {loss.error && <Failure error={loss.error} retry={loss.refetch} />}
      {!loss.data && !loss.error && <Skeleton lines={3} />}
      {loss.data && hosts > 0 && (
        <p className="notice warn">
          <Icon name="warning" />
          {words.hostsInTheWay(hosts)}
        </p>
      )}
      {loss.data && <Lost loss={loss.data} />}
    </DeleteDialog>
  )
}

const mostNamed = 100

function Lost({ loss }: { loss: Loss }) {
  const words = useWords(topology)
  return (
    <>
      <p>{words.goes(loss.count)}</p>
      <ul className="lost">
        {loss.goes.slice(0, mostNamed).map((each) => (
          <li key={`${each.bk_obj_id}-${each.bk_inst_id}`}>
            <Station object={each.bk_obj_id} />
            <span className="truncate">{each.bk_inst_name}</span>
          </li>
        ))}
        {loss.count > mostNamed && <li className="quiet">{words.more(loss.count - mostNamed)}</li>}
      </ul>
    </>
  )
}

function Archiving({ business, place, onClose, onGone }: EndingProps) {
  const words = useWords(topology)
  const general = useWords(common)
  const ifMatch = useRevision(business, place)
  return (
    <DeleteDialog
      subject="businesses"
      title={words.archiveTitle(place.name)}
      action={words.archive}
      because={ifMatch === undefined ? general.loading : undefined}
      told={words.archived(place.name)}
      remove={() => archiveBusiness(business, ifMatch)}
      onClose={onClose}
      onGone={() => onGone(place)}
    >
      <p>{words.archiveWhy}</p>
    </DeleteDialog>
  )
}
