import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useRefusal } from '../../api/may.ts'
import { attributesOf, forEditing } from '../../api/model.ts'
import { AttributeFields } from '../../forms/AttributeFields.tsx'
import type { Attribute } from '../../forms/attributes.ts'
import { useEditing } from '../../forms/editing.ts'
import { Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { UnsavedForm, useUnsavedForm } from '../../kit/unsaved.ts'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { topology } from '../../words/topology.ts'
import { AttributeList } from './AttributeList.tsx'
import { changing, nameOf, recordOf, updateNode, type Values } from './operations.ts'
import type { Place } from './tree.ts'

/** The attributes of a node, to view and edit. */
export function NodeAttributes({ business, place }: { business: number; place: Place }) {
  const words = useWords(common)
  const attributes = useQuery(attributesOf(place.object))
  const record = useQuery(recordOf(business, place))
  // As it was when editing began: a form stays when the node is deleted by another user.
  const [edited, setEdited] = useState<Values | null>(null)
  const { operation, about } = changing(business, place)
  const refused = useRefusal(operation, about)
  if (edited && attributes.data) {
    return (
      <Editing
        business={business}
        place={place}
        attributes={forEditing(attributes.data)}
        record={edited}
        onDone={() => setEdited(null)}
      />
    )
  }
  const error = attributes.error ?? record.error
  if (error) return <Failure error={error} retry={record.refetch} />
  const current = record.data
  if (!attributes.data || !current) return <Skeleton lines={7} height={18} />
  return (
    <>
      <AttributeList
        attributes={attributes.data}
        record={current}
        of={{ bk_obj_id: place.object, bk_inst_id: place.id }}
      />
      <div className="buttons">
        <Button icon="pencil" because={refused} onPress={() => setEdited(current)}>
          {words.edit}
        </Button>
      </div>
    </>
  )
}

interface EditingProps {
  business: number
  place: Place
  attributes: readonly Attribute[]
  record: Values
  onDone(): void
}

function Editing({ business, place, attributes, record, onDone }: EditingProps) {
  const words = useWords(common)
  const { saved } = useWords(topology)
  // A built-in name cannot be changed.
  const asked =
    place.builtIn > 0 ? attributes.filter((each) => each.bk_property_id !== nameOf(place.object)) : attributes
  const unsaved = useUnsavedForm()
  const { fields, save, busy, error } = useEditing({
    subject: place.object === 'biz' ? 'businesses' : 'nodes',
    attributes: asked,
    record,
    update: (values, ifMatch) => updateNode(business, place, values, ifMatch),
    saved,
    onDone,
  })
  return (
    <form
      className="editing"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) save()
      }}
    >
      <UnsavedForm value={unsaved}>
        <AttributeFields {...fields} />
      </UnsavedForm>
      {error && <Failure error={error} />}
      <div className="buttons">
        <Button look="primary" type="submit" busy={busy}>
          {words.save}
        </Button>
        <Button onPress={onDone}>{words.cancel}</Button>
      </div>
    </form>
  )
}
