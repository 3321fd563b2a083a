import { Button, Select as Choosing, ListBox, ListBoxItem, Popover, SelectValue } from 'react-aria-components'
import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'
import { Below, FieldLabel, type FieldProps } from './Field.tsx'
import { Icon } from './Icon.tsx'
import { useReported } from './unsaved.ts'

export interface Choice {
  readonly id: string
  readonly name: string
}

interface SelectProps extends FieldProps {
  choices: readonly Choice[]
  /** Adds an empty option. */
  none?: string
}

const nothing = ' '

export function Select({ label, value, onChange, choices, none, bare = false, ...rest }: SelectProps) {
  const words = useWords(common)
  const all = none === undefined ? choices : [{ id: nothing, name: none }, ...choices]
  const choose = useReported(value, onChange)
  return (
    <Choosing
      className={bare ? 'field bare' : 'field'}
      selectedKey={value || (none === undefined ? null : nothing)}
      onSelectionChange={(key) => choose(key === nothing || key === null ? '' : String(key))}
      isInvalid={rest.problem !== undefined}
      isDisabled={rest.isDisabled ?? false}
      {...(bare && { 'aria-label': label })}
      placeholder=" "
      // If it is opened before the options are loaded, it shows them on arrival.
      allowsEmptyCollection
      validationBehavior="aria"
    >
      {!bare && <FieldLabel label={label} required={rest.required ?? false} />}
      <Button className="input select">
        <SelectValue className="truncate" />
        <Icon name="updown" size={14} />
      </Button>
      <Below problem={rest.problem} help={rest.help} />
      <Popover className="popover" offset={4}>
        <ListBox
          className="options"
          items={all}
          renderEmptyState={() => <p className="option quiet">{words.nothingToChoose}</p>}
        >
          {(choice) => (
            <ListBoxItem id={choice.id} textValue={choice.name} className="option">
              {choice.id === nothing ? <span className="quiet">{choice.name}</span> : choice.name}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Choosing>
  )
}
