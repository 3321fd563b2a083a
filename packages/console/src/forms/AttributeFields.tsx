import { Fragment, useId } from 'react'
import { Checkbox } from 'react-aria-components'
import { reasonIn } from '../api/failures.ts'
import { Button } from '../kit/Button.tsx'
import { TextField } from '../kit/Field.tsx'
import { Icon } from '../kit/Icon.tsx'
import { Select } from '../kit/Select.tsx'
import { useReported } from '../kit/unsaved.ts'
import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'
import { type Attribute, changed, check, choicesOf, type Draft, rangeOf, toWords } from './attributes.ts'

interface AttributeFieldsProps {
  attributes: readonly Attribute[]
  draft: Draft
  onChange(draft: Draft): void
  /** Errors are shown after the first attempt to save. */
  tried: boolean
  /** Stored values: unchanged values are not validated. */
  before?: Draft
  /** Values that another user has saved since the form was opened. */
  theirs?: Draft
  error?: Error | null
}

/** The form of an object: an input for each attribute, by its type. */
export function AttributeFields({ attributes, draft, onChange, tried, before, theirs, error }: AttributeFieldsProps) {
  const words = useWords(common)
  const judged = new Set(tried ? (before ? changed(attributes, before, draft) : attributes) : [])
  return (
    <div className="attribute-fields">
      {attributes.map((attribute, index) => {
        const id = attribute.bk_property_id
        const value = draft[id] ?? ''
        const set = (next: string) => onChange({ ...draft, [id]: next })
        const other = theirs?.[id]
        return (
          <Fragment key={id}>
            <AttributeField
              attribute={attribute}
              value={value}
              onChange={set}
              problem={
                (judged.has(attribute) ? check(attribute, value, words.check) : undefined) ?? refusedFor(id, error)
              }
              autoFocus={index === 0}
            />
            {other !== undefined && other !== value.trim() && (
              <p className="notice warn theirs">
                <span>{other === '' ? words.theirsUnset : words.theirs(toWords(attribute, other, words))}</span>
                <Button onPress={() => set(other)}>{words.takeTheirs}</Button>
              </p>
            )}
          </Fragment>
        )
      })}
    </div>
  )
}

/** The server quotes the name of the refused field. */
function refusedFor(id: string, error: Error | null | undefined): string | undefined {
  const reason = reasonIn(error)
  return reason?.includes(`'${id}'`) || reason?.includes(`${id} `) ? reason : undefined
}

interface AttributeFieldProps {
  attribute: Attribute
  value: string
  onChange(value: string): void
  problem: string | undefined
  autoFocus: boolean
}

function AttributeField({ attribute, value, onChange, problem, autoFocus }: AttributeFieldProps) {
  const words = useWords(common)
  const { min, max } = rangeOf(attribute)
  const shared = {
    label: attribute.bk_property_name,
    value,
    onChange,
    problem,
    required: attribute.isrequired,
    autoFocus,
    help: attribute.placeholder || undefined,
  }
  const choices = choicesOf(attribute)
  if (choices.length > 0 || attribute.bk_property_type === 'enum') {
    return <Select {...shared} choices={choices} {...(!attribute.isrequired && { none: words.unset })} />
  }
  switch (attribute.bk_property_type) {
    case 'bool':
      return <BoxField label={attribute.bk_property_name} value={value} onChange={onChange} problem={problem} />
    case 'longchar':
      return <TextField {...shared} lines={3} />
    case 'int':
    case 'float':
      return (
        <TextField
          {...shared}
          inputMode={attribute.bk_property_type === 'int' ? 'numeric' : 'decimal'}
          unit={attribute.unit}
          help={shared.help ?? (min || max ? `${min} – ${max}` : undefined)}
        />
      )
    case 'date':
      return <TextField {...shared} type="date" />
    case 'time':
      return <TextField {...shared} placeholder="2026-01-31 08:00:00" />
    case 'objuser':
      return <TextField {...shared} help={shared.help ?? words.users} />
    case 'timezone':
      return (
        <>
          <TextField {...shared} list="time-zones" />
          <datalist id="time-zones">
            {Intl.supportedValuesOf('timeZone').map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </>
      )
    default:
      return <TextField {...shared} />
  }
}

interface BoxFieldProps {
  label: string
  value: string
  onChange(value: string): void
  problem: string | undefined
}

function BoxField({ label, value, onChange, problem }: BoxFieldProps) {
  const below = useId()
  const tick = useReported(value, onChange)
  return (
    <div className="field">
      <Checkbox
        className="check"
        isSelected={value === 'true'}
        onChange={(on) => tick(String(on))}
        isInvalid={problem !== undefined}
        validationBehavior="aria"
        {...(problem && { 'aria-describedby': below })}
      >
        <span className="box">
          <Icon name="check" size={12} />
        </span>
        {label}
      </Checkbox>
      {problem && (
        <span id={below} className="problem">
          {problem}
        </span>
      )}
    </div>
  )
}
