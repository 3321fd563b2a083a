import { hosts as operations } from '@mainline/contract'
import { useState } from 'react'
import { useChange } from '../../api/ask.ts'
import { call } from '../../api/call.ts'
import { forEditing } from '../../api/model.ts'
import { AttributeFields } from '../../forms/AttributeFields.tsx'
import { type Attribute, check, type Draft, toValue, unticked } from '../../forms/attributes.ts'
import { Dialog } from '../../kit/Dialog.tsx'
import { Select } from '../../kit/Select.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { common } from '../../words/common.ts'
import { hosts as hostWords } from '../../words/hosts.ts'
import { useWords } from '../../words/index.ts'
import { Steps, useChunks } from './chunks.tsx'
import { address } from './questions.ts'

interface EditHostsProps {
  hosts: readonly number[]
  attributes: readonly Attribute[]
  onClose(): void
  onDone(): void
}

/** One value for all hosts, for each added attribute. */
export function EditHosts({ hosts, attributes, onClose, onDone }: EditHostsProps) {
  const words = useWords(hostWords)
  const general = useWords(common)
  const [draft, setDraft] = useState<Draft>({})
  const [tried, setTried] = useState(false)
  const chunks = useChunks()
  const offered = forEditing(attributes).filter((each) => each.bk_property_id !== address)
  const chosen = offered.filter((each) => each.bk_property_id in draft)
  const change = useChange('hosts', (values: Record<string, unknown>, request) =>
    chunks.change(hosts, request, (chunk) =>
      call(operations.updateHosts, { body: { bk_host_id: chunk.join(','), ...values } }),
    ),
  )
  const choose = (id: string) => {
    const isBox = offered.some((each) => each.bk_property_id === id && each.bk_property_type === 'bool')
    setDraft({ ...draft, [id]: isBox ? unticked : '' })
  }
  const save = () => {
    setTried(true)
    if (chosen.some((each) => check(each, draft[each.bk_property_id] ?? '', general.check))) return
    const values = chosen.map((each) => [each.bk_property_id, toValue(each, draft[each.bk_property_id] ?? '')])
    change.mutate(Object.fromEntries(values), {
      onSuccess: () => {
        tell(words.edited(hosts.length), change.request())
        onDone()
      },
    })
  }
  return (
    <Dialog
      title={words.editTitle(hosts.length)}
      action={general.save}
      busy={change.isPending}
      because={chosen.length === 0 ? words.noAttribute : undefined}
      error={change.error}
      onAction={save}
      onClose={onClose}
    >
      <p className="quiet">{words.editWhy}</p>
      <AttributeFields attributes={chosen} draft={draft} onChange={setDraft} tried={tried} error={change.error} />
      <Select
        label={words.addAttribute}
        value=""
        onChange={choose}
        choices={offered
          .filter((each) => !(each.bk_property_id in draft))
          .map((each) => ({ id: each.bk_property_id, name: each.bk_property_name }))}
        required
      />
      <Steps hosts={hosts.length} progress={chunks.progress} />
    </Dialog>
  )
}
