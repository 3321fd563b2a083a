import { useState } from 'react'
import { useChange } from '../api/ask.ts'
import { tell } from '../kit/Toasts.tsx'
import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'
import { type Attribute, changed, check, type Draft, differences, draftOf } from './attributes.ts'

type Values = Record<string, unknown>

interface Editing {
  attributes: readonly Attribute[]
  record: Readonly<Values>
  update(values: Values): Promise<unknown>
  /** What to say when it is saved. */
  saved: string
  onDone(): void
}

/** A form over something that is there: what somebody has changed is judged and sent, and nothing else. */
export function useEditing({ attributes, record, update, saved, onDone }: Editing) {
  const words = useWords(common)
  // As it was when somebody began: what others change meanwhile is not theirs to change back.
  const [before] = useState<Draft>(() => draftOf(attributes, record))
  const [draft, onChange] = useState<Draft>(before)
  const [tried, setTried] = useState(false)
  const { mutate, error, isPending: busy } = useChange(update)
  const isWrong = (each: Attribute) => check(each, draft[each.bk_property_id] ?? '', words.check) !== undefined
  const save = () => {
    setTried(true)
    if (changed(attributes, before, draft).some(isWrong)) return
    const values = differences(attributes, before, draft)
    if (Object.keys(values).length === 0) return onDone()
    mutate(values, {
      onSuccess: () => {
        tell(saved)
        onDone()
      },
    })
  }
  return { fields: { attributes, draft, onChange, tried, before, error }, save, busy, error }
}
