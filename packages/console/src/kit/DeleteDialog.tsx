import { useChange } from '../api/ask.ts'
import { Dialog } from './Dialog.tsx'
import { tell } from './Toasts.tsx'

interface DeleteDialogProps {
  title: string
  action: string
  /** What goes with it, and what does not. */
  why: string
  /** What is told once it is gone. */
  told: string
  remove(): Promise<unknown>
  onClose(): void
  onGone(): void
}

/** Asks before something is deleted, and says when it is. */
export function DeleteDialog({ title, action, why, told, remove, onClose, onGone }: DeleteDialogProps) {
  // Away first: what is on the screen is about to be asked for again, and part of it is no longer there.
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
      error={change.error}
      onAction={() => change.mutate(undefined)}
      onClose={onClose}
    >
      <p>{why}</p>
    </Dialog>
  )
}
