import { hosts as operations } from '@mainline/contract'
import { call } from '../../api/call.ts'
import { forEditing } from '../../api/model.ts'
import { AttributeFields } from '../../forms/AttributeFields.tsx'
import type { Attribute } from '../../forms/attributes.ts'
import { useEditing } from '../../forms/editing.ts'
import { Dialog } from '../../kit/Dialog.tsx'
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
  const { fields, save, busy, error } = useEditing({
    subject: 'hosts',
    attributes: forEditing(attributes),
    record: host,
    update: (values, ifMatch) =>
      call(operations.updateHosts, { body: { bk_host_id: String(host.bk_host_id), ...values }, ifMatch }),
    saved: words.edited(1),
    onDone: onClose,
  })
  return (
    <Dialog
      title={words.editTitle(1)}
      action={general.save}
      wide
      busy={busy}
      error={error}
      onAction={save}
      onClose={onClose}
    >
      <AttributeFields {...fields} />
    </Dialog>
  )
}
