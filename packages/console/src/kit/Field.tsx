import type { ClipboardEventHandler, ReactNode } from 'react'
import {
  Button,
  FieldError,
  Input,
  Label,
  SearchField as SearchBox,
  Text,
  TextArea,
  TextField as TextBox,
} from 'react-aria-components'
import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'
import { Icon } from './Icon.tsx'
import { useTyped } from './typed.ts'
import { useReported } from './unsaved.ts'

export interface FieldProps {
  label: string
  value: string
  onChange(value: string): void
  problem?: string | undefined
  help?: string | undefined
  required?: boolean
  isDisabled?: boolean
  autoFocus?: boolean
  /** For a toolbar or a row: the label is announced, not shown. */
  bare?: boolean
}

/** The label marks optional fields: most fields are required. */
export function FieldLabel({ label, required = false }: { label: string; required?: boolean }) {
  const words = useWords(common)
  return (
    <Label className="label">
      {label}
      {!required && <span className="optional">{words.optional}</span>}
    </Label>
  )
}

interface TextFieldProps extends FieldProps {
  lines?: number
  unit?: string
  placeholder?: string
  mono?: boolean
  inputMode?: 'text' | 'numeric' | 'decimal'
  type?: 'text' | 'date' | 'datetime-local'
  list?: string
  onPaste?: ClipboardEventHandler<HTMLInputElement>
}

export function TextField(props: TextFieldProps) {
  const { label, problem, help, required = false, isDisabled = false, autoFocus = false } = props
  const [value, onChange] = useTyped(props.value, useReported(props.value, props.onChange))
  const look = `input${props.mono ? ' mono' : ''}`
  return (
    <TextBox
      className="field"
      value={value}
      onChange={onChange}
      isInvalid={problem !== undefined}
      isDisabled={isDisabled}
      autoFocus={autoFocus}
      isRequired={required}
      validationBehavior="aria"
      {...(props.bare && { 'aria-label': label })}
    >
      {!props.bare && <FieldLabel label={label} required={required} />}
      <div className="with-unit">
        {props.lines ? (
          <TextArea className={look} rows={props.lines} placeholder={props.placeholder ?? ''} />
        ) : (
          <Input
            className={look}
            placeholder={props.placeholder ?? ''}
            inputMode={props.inputMode ?? 'text'}
            type={props.type ?? 'text'}
            {...(props.list && { list: props.list })}
            {...(props.onPaste && { onPaste: props.onPaste })}
          />
        )}
        {props.unit && <span className="unit">{props.unit}</span>}
      </div>
      <Below problem={problem} help={help} />
    </TextBox>
  )
}

/** The help of a field, or what is wrong with its value. */
export const Below = ({ problem, help }: { problem: string | undefined; help: string | undefined }) => (
  <>
    {help && !problem && (
      <Text slot="description" className="help">
        {help}
      </Text>
    )}
    {problem && <FieldError className="problem">{problem}</FieldError>}
  </>
)

interface SearchFieldProps {
  label: string
  value: string
  onChange(value: string): void
  placeholder?: string
  autoFocus?: boolean
  children?: ReactNode
}

export function SearchField({ label, value, onChange, placeholder, autoFocus = false, children }: SearchFieldProps) {
  const words = useWords(common)
  const [typed, type] = useTyped(value, onChange)
  return (
    <SearchBox className="search" aria-label={label} value={typed} onChange={type} autoFocus={autoFocus}>
      <Icon name="search" />
      <Input className="input" placeholder={placeholder ?? label} />
      {children}
      <Button className="button quiet only-icon clear" aria-label={words.clear}>
        <Icon name="close" size={14} />
      </Button>
    </SearchBox>
  )
}
