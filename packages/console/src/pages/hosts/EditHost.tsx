import { hosts as operations } from '@mainline/contract'
import { useState } from 'react'
import { useChange } from '../../api/ask.ts'
import { call } from '../../api/call.ts'
import { forEditing } from '../../api/model.ts'
import { AttributeFields } from '../../forms/AttributeFields.tsx'
import { type Attribute, changed, check, type Draft, differences, draftOf } from '../../forms/attributes.ts'
import { Dialog } from '../../kit/Dialog.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { common } from '../../words/common.ts'
import { hosts } from '../../words/hosts.ts'
import { useWords } from '../../words/index.ts'
import type { HostRow } from './questions.ts'

interface EditHostProps {
  host: HostRow['host']
  attributes: readonly Attribute[]
  onClose(): void
}

export function EditHost({ host, attributes, onClose }: EditHostProps) {
  const words = useWords(hosts)
  const general = useWords(common)
  const asked = forEditing(attributes)
  // As it was when somebody began: what others change meanwhile is not theirs to change back.
  const [before] = useState<Draft>(() => draftOf(asked, host))
  const [draft, setDraft] = useState<Draft>(before)
  const [tried, setTried] = useState(false)
  const change = useChange((values: Record<string, unknown>) =>
    call(operations.updateHosts, { body: { bk_host_id: String(host.bk_host_id), ...values } }),
  )
  const save = () => {
    setTried(true)
    if (changed(asked, before, draft).some((each) => check(each, draft[each.bk_property_id] ?? '', general.check)))
      return
    const values = differences(asked, before, draft)
    if (Object.keys(values).length === 0) return onClose()
    change.mutate(values, {
      onSuccess: () => {
        tell(words.edited(1))
        onClose()
      },
    })
  }
  return (
    <Dialog
      title={words.editTitle(1)}
      action={general.save}
      wide
      busy={change.isPending}
      error={change.error}
      onAction={save}
      onClose={onClose}
    >
      <AttributeFields
        attributes={asked}
        draft={draft}
        onChange={setDraft}
        tried={tried}
        before={before}
        error={change.error}
      />
    </Dialog>
  )
}
