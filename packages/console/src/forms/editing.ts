import { useState } from 'react'
import { useChange } from '../api/ask.ts'
import type { Subject } from '../api/changes.ts'
import { recordNow } from '../api/failures.ts'
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
  // Values that another user has set meanwhile, of fields that are changed here, too.
  const [theirs, setTheirs] = useState<Draft>({})
  const { mutate, error, isPending: busy, request } = useChange(subject, (values: Values) => update(values, revision))
  const isWrong = (each: Attribute) => check(each, draft[each.bk_property_id] ?? '', words.check) !== undefined
  const save = () => {
    setTried(true)
    if (changed(attributes, before, draft).some(isWrong)) return
    const values = differences(attributes, before, draft)
    if (Object.keys(values).length === 0) return onDone()
    mutate(values, {
      onSuccess: () => {
        tell(saved, request())
        onDone()
      },
      // Reported once: saving again applies to the current record.
      onError: (refused) => {
        const now = recordNow(refused)
        if (!now) return
        setRevision(now.bk_revision)
        const current = draftOf(attributes, now)
        const clashes = changed(attributes, before, draft).filter(({ bk_property_id: id }) => {
          const value = current[id] ?? ''
          return value !== before[id] && value !== (draft[id] ?? '').trim()
        })
        setTheirs(Object.fromEntries(clashes.map(({ bk_property_id: id }) => [id, current[id] ?? ''])))
      },
    })
  }
  return { fields: { attributes, draft, onChange, tried, before, error, theirs }, save, busy, error }
}
