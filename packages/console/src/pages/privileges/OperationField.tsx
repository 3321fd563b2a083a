import { summaries } from '@mainline/contract/summaries'
import { useState } from 'react'
import { Icon } from '../../kit/Icon.tsx'
import { type Pickable, Picker } from '../../kit/Picker.tsx'
import { PickerField } from '../../kit/PickerField.tsx'
import { usePreferences } from '../../preferences.ts'
import { actionWords } from '../../words/actions.ts'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { privilegeWords } from '../../words/privileges.ts'

interface OperationFieldProps {
  /** The name of an operation. */
  value: string
  onChange(operation: string): void
}

/** What a user wants to do: common actions in words, then every operation. */
export function OperationField({ value, onChange }: OperationFieldProps) {
  const words = useWords(privilegeWords)
  const actions = useWords(actionWords)
  const { nothingFound } = useWords(common)
  const { language } = usePreferences()
  const [sought, setSought] = useState('')
  const letters = sought.trim().toLowerCase()
  const fits = (...texts: string[]) => texts.some((text) => text.toLowerCase().includes(letters))
  const actionOf = (operation: string) => Object.entries(actions).find(([name]) => name === operation)?.[1]
  const frequent: Pickable[] = Object.entries(actions)
    .filter(([operation, name]) => fits(operation, name))
    .map(([id, name]) => ({ id, name, aside: id, sign: <Icon name="privileges" /> }))
  const others: Pickable[] = summaries
    .filter(({ name, summary }) => actionOf(name) === undefined && fits(name, summary))
    // The contract has summaries in English only.
    .map(({ name, summary }) => ({ id: name, name, aside: language === 'en' ? summary : '', sign: null }))
  return (
    <PickerField label={words.action} shown={actionOf(value) ?? (value || words.ask)} isEmpty={value === ''}>
      {(close) => (
        <Picker
          label={words.findAction}
          placeholder={words.findAction}
          sought={sought}
          onSought={setSought}
          groups={[
            { id: 'actions', name: words.commonActions, items: frequent },
            { id: 'operations', name: words.operations, items: others },
          ].filter(({ items }) => items.length > 0)}
          empty={nothingFound}
          onPick={({ id }) => {
            close()
            onChange(id)
          }}
        />
      )}
    </PickerField>
  )
}
