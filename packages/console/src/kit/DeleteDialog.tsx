import type { ReactNode } from 'react'
import { useChange } from '../api/ask.ts'
import { Dialog } from './Dialog.tsx'
import { tell } from './Toasts.tsx'

interface DeleteDialogProps {
  title: string
  action: string
  /** What goes with it, and what does not. */
  children: ReactNode
  because?: string | undefined
  /** What is told once it is gone. */
  told: string
  remove(): Promise<unknown>
  onClose(): void
  onGone(): void
}

/** Asks before something is deleted, and says when it is. */
export function DeleteDialog({ title, action, children, because, told, remove, onClose, onGone }: DeleteDialogProps) {
  // Before anything is asked for again: a page whose subject is found to be gone takes this dialog with it.
  const change = useChange(async () => {
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
