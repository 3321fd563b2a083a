import { Dialog } from '../kit/Dialog.tsx'
import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'

/** Asks whether to discard what was typed. */
export function LeaveDialog({ onLeave, onStay }: { onLeave(): void; onStay(): void }) {
  const words = useWords(common)
  return (
    <Dialog
      title={words.leaveTitle}
      action={words.discard}
      cancel={words.keepEditing}
      danger
      onAction={onLeave}
      onClose={onStay}
    >
      <p>{words.discardWhy}</p>
    </Dialog>
  )
}
