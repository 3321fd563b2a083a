import { useState } from 'react'
import { useChange } from '../api/ask.ts'
import type { Subject } from '../api/changes.ts'
import { revisionNow } from '../api/failures.ts'
import { tell } from '../kit/Toasts.tsx'
import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'
import { type Attribute, changed, check, type Draft, differences, draftOf } from './attributes.ts'

type Values = Record<string, unknown>

interface Editing {
  subject: Subject
  attributes: readonly Attribute[]
  record: Readonly<Values>
  /** Sends the differences, conditional on the revision they are based on. */
  update(values: Values, revision: number | undefined): Promise<unknown>
  /** The notification after saving. */
  saved: string
  onDone(): void
}

/** A form over an existing record: only changed fields are validated and sent. */
export function useEditing({ subject, attributes, record, update, saved, onDone }: Editing) {
  const words = useWords(common)
  // The record as it was when editing began: concurrent changes of other fields must not be reverted.
  const [before] = useState<Draft>(() => draftOf(attributes, record))
  const [draft, onChange] = useState<Draft>(before)
  const [tried, setTried] = useState(false)
  const [revision, setRevision] = useState(record.bk_revision as number | undefined)
  const { mutate, error, isPending: busy } = useChange(subject, (values: Values) => update(values, revision))
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
      // Reported once: saving again applies to the current record.
      onError: (refused) => setRevision(revisionNow(refused) ?? revision),
    })
  }
  return { fields: { attributes, draft, onChange, tried, before, error }, save, busy, error }
}
