import { type ReactNode, useState } from 'react'
import { useChange } from '../api/ask.ts'
import type { Subject } from '../api/changes.ts'
import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'
import { Dialog } from './Dialog.tsx'
import { TextField } from './Field.tsx'
import { tell } from './Toasts.tsx'
import { forgetUnsaved } from './unsaved.ts'

interface DeleteDialogProps {
  subject: Subject
  title: string
  action: string
  /** What is deleted with it, and what is not. */
  children: ReactNode
  because?: string | undefined
  /** The notification after the deletion. */
  told: string
  /** It cannot be undone: few records cannot. */
  isFinal?: boolean
  remove(): Promise<unknown>
  onClose(): void
  onGone(): void
}

/** Confirms a deletion, and notifies afterwards. */
export function DeleteDialog({
  subject,
  title,
  action,
  children,
  because,
  told,
  isFinal = false,
  ...dialog
}: DeleteDialogProps) {
  const { remove, onClose, onGone } = dialog
  // Before queries are refetched: a page whose subject was deleted removes this dialog.
  const { reason: reasonLabel, reasonWhy } = useWords(common)
  const [reason, setReason] = useState('')
  const change = useChange(
    subject,
    async () => {
      await remove()
      forgetUnsaved()
      tell(told, isFinal ? undefined : change.request())
      onClose()
      onGone()
    },
    { reason },
  )
  return (
    <Dialog
      title={title}
      action={action}
      danger
      busy={change.isPending}
      because={because}
      error={change.error}
      onAction={() => change.mutate(undefined)}
      onClose={onClose}
    >
      {children}
      <TextField label={reasonLabel} value={reason} onChange={setReason} help={reasonWhy} />
    </Dialog>
  )
}
