import { model as operations } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../../api/ask.ts'
import { call } from '../../api/call.ts'
import { attributesOf } from '../../api/model.ts'
import { type Attribute, choicesOf, rangeOf } from '../../forms/attributes.ts'
import { Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { intoSight } from '../../kit/Dialog.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { kindOf, Station } from '../../kit/Station.tsx'
import { useWords } from '../../words/index.ts'
import { model } from '../../words/model.ts'
import { DeleteAttribute, EditAttribute, NewAttribute } from './AttributeDialogs.tsx'
import { DeleteGroup, NewGroup, RenameGroup } from './GroupDialogs.tsx'
import { ObjectAssociations } from './ObjectAssociations.tsx'
import { DeleteObject, EditObject } from './ObjectDialogs.tsx'
import { type Classification, type Group, groupsOf, type ObjectRecord } from './questions.ts'
import { UniqueRules } from './UniqueRules.tsx'

interface ObjectPanelProps {
  /** Why the caller may not change anything here. */
  refused: string | undefined
  object: ObjectRecord
  classifications: readonly Classification[]
  isLevel: boolean
  onGone(): void
}

type Asked =
  | { what: 'edit' | 'delete' | 'new group' }
  | { what: 'new attribute'; group?: string }
  | { what: 'edit attribute' | 'delete attribute'; attribute: Attribute }
  | { what: 'rename group' | 'delete group'; group: Group }

/** An object with its attributes by group. */
export function ObjectPanel({ refused, object, classifications, isLevel, onGone }: ObjectPanelProps) {
  const words = useWords(model)
  const groups = useQuery(groupsOf(object.bk_obj_id))
  const attributes = useQuery(attributesOf(object.bk_obj_id))
  const [asked, setAsked] = useState<Asked | null>(null)
  const pausing = useChange('model', () =>
    call(operations.updateObject, { params: { id: object.id }, body: { bk_ispaused: !object.bk_ispaused } }),
  )
  const close = () => setAsked(null)
  const error = groups.error ?? attributes.error ?? pausing.error
  const kept = object.ispre ? words.builtInObject : isLevel ? words.levelObject : undefined
  return (
    <section className="object" aria-label={object.bk_obj_name}>
      <header>
        <Station object={object.bk_obj_id} kind={isLevel ? kindOf(object.bk_obj_id) : 'other'} size={14} />
        <h2>{object.bk_obj_name}</h2>
        <code>{object.bk_obj_id}</code>
        {object.ispre && <span className="tag">{words.builtIn}</span>}
        {isLevel && !object.ispre && <span className="tag accent">{words.level}</span>}
        {object.bk_ispaused && <span className="tag warn">{words.paused}</span>}
        <div className="actions">
          <Button icon="plus" look="primary" because={refused} onPress={() => setAsked({ what: 'new attribute' })}>
            {words.addAttribute}
          </Button>
          <Button because={refused} onPress={() => setAsked({ what: 'new group' })}>
            {words.addGroup}
          </Button>
          <Button icon="pencil" label={words.editObject} because={refused} onPress={() => setAsked({ what: 'edit' })} />
          {!object.ispre && !isLevel && (
            <Button busy={pausing.isPending} because={refused} onPress={() => pausing.mutate(undefined)}>
              {object.bk_ispaused ? words.resume : words.pause}
            </Button>
          )}
          <Button
            icon="bin"
            label={words.deleteObject}
            because={kept ?? refused}
            onPress={() => setAsked({ what: 'delete' })}
          />
        </div>
      </header>
      {error && <Failure error={error} retry={groups.refetch} />}
      {!groups.data || !attributes.data ? (
        <Skeleton lines={8} height={26} />
      ) : (
        groups.data.map((group) => (
          <AttributeGroup
            key={group.id}
            group={group}
            attributes={attributes.data.filter((each) => each.bk_property_group === group.bk_group_id)}
            refused={refused}
            onAsk={setAsked}
          />
        ))
      )}
      {attributes.data && <UniqueRules object={object} attributes={attributes.data} refused={refused} />}
      <ObjectAssociations
        object={object}
        objects={classifications.flatMap((each) => each.bk_objects)}
        refused={refused}
      />
      {asked?.what === 'edit' && <EditObject object={object} classifications={classifications} onClose={close} />}
      {asked?.what === 'delete' && <DeleteObject object={object} onClose={close} onGone={onGone} />}
      {asked?.what === 'new group' && <NewGroup object={object} onClose={close} />}
      {asked?.what === 'rename group' && <RenameGroup group={asked.group} onClose={close} />}
      {asked?.what === 'delete group' && <DeleteGroup group={asked.group} onClose={close} />}
      {asked?.what === 'new attribute' && <NewAttribute object={object} groups={groups.data ?? []} onClose={close} />}
      {asked?.what === 'edit attribute' && (
        <EditAttribute attribute={asked.attribute} groups={groups.data ?? []} onClose={close} />
      )}
      {asked?.what === 'delete attribute' && <DeleteAttribute attribute={asked.attribute} onClose={close} />}
    </section>
  )
}

interface AttributeGroupProps {
  group: Group
  attributes: readonly Attribute[]
  refused: string | undefined
  onAsk(asked: Asked): void
}

function AttributeGroup({ group, attributes, refused, onAsk }: AttributeGroupProps) {
  const words = useWords(model)
  const kept = group.ispre ? words.presetGroup : attributes.length > 0 ? words.groupHolds : undefined
  return (
    <section className="attribute-group" aria-label={group.bk_group_name}>
      <header>
        <h3>{group.bk_group_name}</h3>
        <span className="quiet">{attributes.length}</span>
        <Button
          look="quiet"
          icon="pencil"
          label={words.renameGroup(group.bk_group_name)}
          because={refused}
          onPress={() => onAsk({ what: 'rename group', group })}
        />
        <Button
          look="quiet"
          icon="bin"
          label={words.deleteGroup(group.bk_group_name)}
          because={kept ?? refused}
          onPress={() => onAsk({ what: 'delete group', group })}
        />
      </header>
      {attributes.length === 0 ? (
        <p className="quiet">{words.emptyGroup}</p>
      ) : (
        <div className="wide-table">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">{words.name}</th>
                <th scope="col">{words.identifier}</th>
                <th scope="col">{words.type}</th>
                <th scope="col">{words.rule}</th>
                <th scope="col">
                  <span className="unseen">{words.attributes}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {attributes.map((attribute) => (
                <AttributeRow key={attribute.id} attribute={attribute} refused={refused} onAsk={onAsk} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

interface AttributeRowProps {
  attribute: Attribute
  refused: string | undefined
  onAsk(asked: Asked): void
}

function AttributeRow({ attribute, refused, onAsk }: AttributeRowProps) {
  const words = useWords(model)
  const isLinked = useSearch({ from: '/model' }).attribute === attribute.bk_property_id
  return (
    <tr ref={isLinked ? intoSight : null} className={isLinked ? 'changed' : ''}>
      <td>
        {attribute.bk_property_name}
        {attribute.isrequired && <span className="tag accent">{words.required}</span>}
      </td>
      <td>
        <code>{attribute.bk_property_id}</code>
      </td>
      <td>{words.types[attribute.bk_property_type] ?? attribute.bk_property_type}</td>
      <td className="quiet rule">
        <span className="truncate">{ruleOf(attribute)}</span>
      </td>
      <td className="row-actions">
        <Button
          look="quiet"
          icon="pencil"
          label={words.editAttribute(attribute.bk_property_name)}
          because={refused}
          onPress={() => onAsk({ what: 'edit attribute', attribute })}
        />
        <Button
          look="quiet"
          icon="bin"
          label={words.deleteAttribute(attribute.bk_property_name)}
          because={attribute.ispre ? words.presetAttribute : refused}
          onPress={() => onAsk({ what: 'delete attribute', attribute })}
        />
      </td>
    </tr>
  )
}

/** A summary of the constraints of a value. */
function ruleOf(attribute: Attribute): string {
  const choices = choicesOf(attribute)
  if (choices.length > 0) return choices.map((choice) => choice.name).join(', ')
  if (typeof attribute.option === 'string') return attribute.option
  const { min, max } = rangeOf(attribute)
  return min || max ? `${min} – ${max} ${attribute.unit}` : attribute.unit
}
