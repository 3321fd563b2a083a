import type { ReactNode } from 'react'
import { useChange } from '../api/ask.ts'
import type { Subject } from '../api/changes.ts'
import { Dialog } from './Dialog.tsx'
import { tell } from './Toasts.tsx'

interface DeleteDialogProps {
  subject: Subject
  title: string
  action: string
  /** What is deleted with it, and what is not. */
  children: ReactNode
  because?: string | undefined
  /** The notification after the deletion. */
  told: string
  remove(): Promise<unknown>
  onClose(): void
  onGone(): void
}

/** Confirms a deletion, and notifies afterwards. */
export function DeleteDialog({ subject, title, action, children, because, told, ...dialog }: DeleteDialogProps) {
  const { remove, onClose, onGone } = dialog
  // Before queries are refetched: a page whose subject was deleted removes this dialog.
  const change = useChange(subject, async () => {
    await remove()
    tell(told)
    onClose()
    onGone()
  })
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
    </Dialog>
  )
}
