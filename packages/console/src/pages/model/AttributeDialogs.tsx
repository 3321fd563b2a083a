import { model as operations } from '@mainline/contract'
import { useState } from 'react'
import { Checkbox, Radio, RadioGroup } from 'react-aria-components'
import { useChange } from '../../api/ask.ts'
import { call } from '../../api/call.ts'
import type { Attribute } from '../../forms/attributes.ts'
import { Button } from '../../kit/Button.tsx'
import { DeleteDialog } from '../../kit/DeleteDialog.tsx'
import { Dialog } from '../../kit/Dialog.tsx'
import { TextField } from '../../kit/Field.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { Select } from '../../kit/Select.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { model } from '../../words/model.ts'
import {
  blank,
  type Choice,
  type Definition,
  definitionOf,
  isNumber,
  isText,
  nextChoice,
  optionOf,
  problemsOf,
} from './definition.ts'
import type { Group, ObjectRecord } from './questions.ts'

const describe = (given: Definition) => ({
  bk_property_name: given.name.trim(),
  bk_property_group: given.group,
  isrequired: given.required,
  editable: given.editable,
  // Long texts are not indexed, so `searchable` must not even be sent.
  ...(given.type !== 'longchar' && { searchable: given.searchable }),
  unit: given.unit.trim(),
  placeholder: given.hint.trim(),
  option: optionOf(given),
})

interface NewAttributeProps {
  object: ObjectRecord
  groups: readonly Group[]
  onClose(): void
}

export function NewAttribute({ object, groups, onClose }: NewAttributeProps) {
  const words = useWords(model)
  const { create } = useWords(common)
  const change = useChange('model', (given: Definition) =>
    call(operations.createAttribute, {
      body: {
        ...describe(given),
        bk_obj_id: object.bk_obj_id,
        bk_property_id: given.id.trim(),
        bk_property_type: given.type,
      },
    }),
  )
  return (
    <Defining
      title={words.addAttributeTitle(object.bk_obj_name)}
      action={create}
      groups={groups}
      begin={blank}
      isNew
      busy={change.isPending}
      error={change.error}
      onSave={(given) => change.mutate(given, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}

interface EditAttributeProps {
  attribute: Attribute
  groups: readonly Group[]
  onClose(): void
}

export function EditAttribute({ attribute, groups, onClose }: EditAttributeProps) {
  const words = useWords(model)
  const { save } = useWords(common)
  const begin = definitionOf(attribute)
  const change = useChange('model', (given: Definition) =>
    call(operations.updateAttribute, { params: { id: attribute.id }, body: changed(describe(begin), describe(given)) }),
  )
  return (
    <Defining
      title={words.editAttribute(attribute.bk_property_name)}
      action={save}
      groups={groups}
      begin={begin}
      isNew={false}
      busy={change.isPending}
      error={change.error}
      onSave={(given) => change.mutate(given, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}

/** Only differences: many properties of a built-in attribute may not be sent at all. */
function changed(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(after).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key])),
  )
}

interface DefiningProps {
  title: string
  action: string
  groups: readonly Group[]
  begin: Definition
  isNew: boolean
  busy: boolean
  error: Error | null
  onSave(given: Definition): void
  onClose(): void
}

function Defining({ title, action, groups, begin, isNew, busy, error, onSave, onClose }: DefiningProps) {
  const words = useWords(model)
  const { check } = useWords(common)
  const [given, setGiven] = useState(begin)
  const [typedId, setTypedId] = useState(!isNew)
  const [tried, setTried] = useState(false)
  const set =
    <Key extends keyof Definition>(key: Key) =>
    (value: Definition[Key]) =>
      setGiven((now) => ({ ...now, [key]: value }))
  const problems = problemsOf(given, { ...check, noChoice: words.noChoice })
  const told = tried ? problems : {}
  const setName = (name: string) =>
    setGiven((now) => ({
      ...now,
      name,
      ...(!typedId && {
        id: name
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, '_')
          .replace(/^[\d_]+|_+$/g, ''),
      }),
    }))
  const save = () => {
    setTried(true)
    if (Object.keys(problems).length === 0) onSave(given)
  }
  return (
    <Dialog title={title} action={action} busy={busy} error={error} onAction={save} onClose={onClose} wide>
      <div className="two">
        <TextField label={words.name} value={given.name} onChange={setName} problem={told.name} required autoFocus />
        <TextField
          label={words.identifier}
          value={given.id}
          onChange={(id) => {
            setTypedId(true)
            set('id')(id)
          }}
          problem={told.id}
          help={words.attributeIdHelp}
          isDisabled={!isNew}
          required
          mono
        />
        <Select
          label={words.type}
          value={given.type}
          onChange={set('type')}
          choices={Object.entries(words.types).map(([id, name]) => ({ id, name }))}
          isDisabled={!isNew}
          required
        />
        <Select
          label={words.group}
          value={given.group}
          onChange={set('group')}
          choices={groups.map((group) => ({ id: group.bk_group_id, name: group.bk_group_name }))}
          required
        />
        {isNumber(given.type) && (
          <>
            <TextField
              label={words.min}
              value={given.min}
              onChange={set('min')}
              problem={told.min}
              inputMode="decimal"
            />
            <TextField
              label={words.max}
              value={given.max}
              onChange={set('max')}
              problem={told.max}
              inputMode="decimal"
            />
            <TextField label={words.unit} value={given.unit} onChange={set('unit')} />
          </>
        )}
        {isText(given.type) && (
          <TextField
            label={words.pattern}
            value={given.pattern}
            onChange={set('pattern')}
            help={words.patternHelp}
            mono
          />
        )}
        <TextField label={words.hint} value={given.hint} onChange={set('hint')} />
      </div>
      {given.type === 'enum' && <Choices choices={given.choices} onChange={set('choices')} problem={told.choices} />}
      <div className="two">
        <Tick label={words.required} on={given.required} onChange={set('required')} />
        <Tick label={words.editable} on={given.editable} onChange={set('editable')} />
        {given.type !== 'longchar' && (
          <Tick label={words.searchable} on={given.searchable} onChange={set('searchable')} />
        )}
      </div>
    </Dialog>
  )
}

const Tick = ({ label, on, onChange }: { label: string; on: boolean; onChange(on: boolean): void }) => (
  <Checkbox className="check" isSelected={on} onChange={onChange}>
    <span className="box">
      <Icon name="check" size={12} />
    </span>
    {label}
  </Checkbox>
)

interface ChoicesProps {
  choices: readonly Choice[]
  onChange(choices: readonly Choice[]): void
  problem: string | undefined
}

function Choices({ choices, onChange, problem }: ChoicesProps) {
  const words = useWords(model)
  const replace = (at: number, change: Partial<Choice>) =>
    onChange(choices.map((each, index) => (index === at ? { ...each, ...change } : each)))
  return (
    <fieldset className="choices">
      <legend>{words.choices}</legend>
      <RadioGroup
        aria-label={words.isDefault}
        value={String(choices.findIndex((each) => each.isDefault))}
        onChange={(at) => onChange(choices.map((each, index) => ({ ...each, isDefault: index === Number(at) })))}
      >
        {choices.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: while it is typed, its place is all that a choice has
          <div key={index} className="choice">
            <input
              className="input mono"
              aria-label={words.choiceId(index + 1)}
              value={each.id}
              onChange={(event) => replace(index, { id: event.target.value })}
            />
            <input
              className="input"
              aria-label={words.choice(index + 1)}
              value={each.name}
              onChange={(event) => replace(index, { name: event.target.value })}
            />
            <Radio value={String(index)} className="check radio">
              <span className="box" />
              {words.isDefault}
            </Radio>
            <Button
              look="quiet"
              icon="close"
              label={words.removeChoice(each.name || words.choice(index + 1))}
              onPress={() => onChange(choices.filter((_, other) => other !== index))}
            />
          </div>
        ))}
      </RadioGroup>
      {problem && <p className="problem">{problem}</p>}
      <Button icon="plus" onPress={() => onChange([...choices, nextChoice(choices)])}>
        {words.addChoice}
      </Button>
    </fieldset>
  )
}

export function DeleteAttribute({ attribute, onClose }: { attribute: Attribute; onClose(): void }) {
  const words = useWords(model)
  const general = useWords(common)
  return (
    <DeleteDialog
      subject="model"
      title={words.deleteAttributeTitle(attribute.bk_property_name)}
      action={general.delete}
      told={words.deletedAttribute(attribute.bk_property_name)}
      remove={() => call(operations.deleteAttribute, { params: { id: attribute.id } })}
      onClose={onClose}
      onGone={() => {}}
    >
      <p>{words.deleteAttributeWhy}</p>
    </DeleteDialog>
  )
}
