import { type ClipboardEvent, useId } from 'react'
import { Button } from '../kit/Button.tsx'
import { TextField } from '../kit/Field.tsx'
import { Select } from '../kit/Select.tsx'
import { common } from '../words/common.ts'
import { filtering } from '../words/filters.ts'
import { useWords } from '../words/index.ts'
import { type Attribute, choicesOf } from './attributes.ts'
import { type Asked, type Filter, type Kind, operatorsFor, takesMany, takesNone } from './filters.ts'
import { useAttributesOfKinds } from './kinds.ts'

interface FilterRowsProps {
  /** Objects that may be filtered. */
  objects: readonly Kind[]
  filters: readonly Filter[]
  onChange(filters: readonly Filter[]): void
  /** Suggested names of instances of an object. */
  namesOf?: (object: Kind) => readonly string[]
}

/** Conditions line by line: an object, one of its attributes, an operator, and an input by the attribute's type. */
export function FilterRows({ objects, filters, onChange, namesOf }: FilterRowsProps) {
  const words = useWords(filtering)
  const first = objects[0] ?? 'host'
  return (
    <div className="filter-rows">
      {filters.map((filter, at) => (
        <FilterRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place
          key={at}
          objects={objects}
          filter={filter}
          names={asksForName(filter) ? namesOf?.(filter.object) : undefined}
          onChange={(changed) => onChange(filters.map((each, index) => (index === at ? changed : each)))}
          onRemove={() => onChange(filters.filter((_, index) => index !== at))}
        />
      ))}
      <Button
        icon="plus"
        onPress={() => onChange([...filters, { object: first, field: '', operator: '$eq', value: '' }])}
      >
        {words.add}
      </Button>
    </div>
  )
}

const nameFields: Partial<Record<Kind, string>> = {
  set: 'bk_set_name',
  module: 'bk_module_name',
  object: 'bk_inst_name',
}

const asksForName = ({ object, field, operator }: Filter) =>
  field === nameFields[object] && (operator === '$eq' || operator === '$neq')

interface FilterRowProps {
  objects: readonly Kind[]
  filter: Filter
  names: readonly string[] | undefined
  onChange(filter: Filter): void
  onRemove(): void
}

function FilterRow({ objects, filter, names, onChange, onRemove }: FilterRowProps) {
  const words = useWords(filtering)
  const attributes = useAttributesOfKinds([filter.object]).of(filter.object)
  const attribute = attributes.find((each) => each.bk_property_id === filter.field)
  const fields = attributes.map((each) => ({ id: each.bk_property_id, name: each.bk_property_name }))
  return (
    <div className="filter-row">
      {objects.length > 1 && (
        <Select
          bare
          label={words.object}
          value={filter.object}
          onChange={(object) => onChange({ object: object as Kind, field: '', operator: '$eq', value: '' })}
          choices={objects.map((id) => ({ id, name: words.objects[id] }))}
        />
      )}
      <Select
        bare
        label={words.attribute}
        value={filter.field}
        onChange={(field) => onChange({ ...filter, field, operator: '$eq', value: '' })}
        choices={fields}
      />
      <FilterTest attribute={attribute} filter={filter} names={names} onChange={onChange} />
      <Button look="quiet" icon="close" label={words.remove} onPress={onRemove} />
    </div>
  )
}

interface FilterTestProps {
  attribute: Attribute | undefined
  filter: Filter
  names?: readonly string[] | undefined
  /** An operator that is not available here. */
  without?: Asked
  onChange(filter: Filter): void
}

/** The operator and the value of a line. */
export function FilterTest({ attribute, filter, names, without, onChange }: FilterTestProps) {
  const words = useWords(filtering)
  const usual = operatorsFor(attribute).filter((each) => each !== without)
  // What is stored may contain an operator that is not offered here.
  const operators = usual.includes(filter.operator) ? usual : [...usual, filter.operator]
  return (
    <>
      <Select
        bare
        label={words.operator}
        value={filter.operator}
        onChange={(chosen) => {
          const operator = chosen as Filter['operator']
          // The operand of $exists is a boolean, and is not kept for other operators.
          const kept =
            takesNone(operator) || (operator === '$exists') !== (filter.operator === '$exists') ? '' : filter.value
          onChange({ ...filter, operator, value: kept })
        }}
        choices={operators.map((id) => ({ id, name: words.operators[id] }))}
      />
      <ValueField
        attribute={attribute}
        filter={filter}
        names={names}
        onChange={(value) => onChange({ ...filter, value })}
      />
    </>
  )
}

interface ValueFieldProps {
  attribute: Attribute | undefined
  filter: Filter
  names: readonly string[] | undefined
  onChange(value: string): void
}

function ValueField({ attribute, filter, names = [], onChange }: ValueFieldProps) {
  const words = useWords(filtering)
  const { yes, no } = useWords(common)
  const shared = { label: words.value, value: filter.value, onChange, bare: true }
  const one = !takesMany(filter.operator)
  const list = useId()
  const choices = attribute ? choicesOf(attribute) : []
  if (takesNone(filter.operator)) return <span className="field" />
  if (one && filter.operator !== '$exists' && choices.length > 0) return <Select {...shared} choices={choices} />
  if (filter.operator === '$exists' || (one && attribute?.bk_property_type === 'bool')) {
    const answers = [
      { id: 'true', name: yes },
      { id: 'false', name: no },
    ]
    return <Select {...shared} choices={answers} />
  }
  return (
    <>
      <TextField
        {...shared}
        type={one && attribute?.bk_property_type === 'date' ? 'date' : 'text'}
        {...(!one && { onPaste: asList })}
        placeholder={names[0] ? words.such(names[0]) : one ? '' : words.many}
        {...(names.length > 0 && { list })}
      />
      <datalist id={list}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  )
}

/** A single-line input would join pasted lines. */
function asList(event: ClipboardEvent<HTMLInputElement>): void {
  const pasted = event.clipboardData.getData('text')
  if (!pasted.includes('\n')) return
  event.preventDefault()
  document.execCommand('insertText', false, pasted.trim().replace(/[\s,;，；]*\n\s*/g, ', '))
}
