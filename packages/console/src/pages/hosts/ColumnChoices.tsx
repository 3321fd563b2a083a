import type { Attribute } from '../../forms/attributes.ts'
import { Select } from '../../kit/Select.tsx'
import { hosts as hostWords } from '../../words/hosts.ts'
import { useWords } from '../../words/index.ts'
import { type Column, leftOut } from './columns.ts'

interface ColumnChoicesProps {
  columns: readonly Column[]
  attributes: readonly Attribute[]
  onChoose(index: number, attribute: string): void
  isDisabled: boolean
}

/** The attribute of each column: recognised by its header, or chosen by the user. */
export function ColumnChoices({ columns, attributes, onChoose, isDisabled }: ColumnChoicesProps) {
  const words = useWords(hostWords)
  const choices = [
    { id: leftOut, name: words.leaveOut },
    ...attributes.map(({ bk_property_id: id, bk_property_name: name }) => ({ id, name })),
  ]
  return (
    <fieldset className="column-choices">
      <legend>{words.columnsOfFile}</legend>
      <p className="quiet">{words.columnsOfFileWhy}</p>
      <div>
        {columns.map(({ header, attribute, isLeftOut }, index) => (
          <Select
            // biome-ignore lint/suspicious/noArrayIndexKey: a column is known by its place
            key={index}
            label={header || String(index + 1)}
            value={isLeftOut ? leftOut : (attribute?.bk_property_id ?? '')}
            choices={choices}
            onChange={(choice) => onChoose(index, choice)}
            isDisabled={isDisabled}
          />
        ))}
      </div>
    </fieldset>
  )
}
