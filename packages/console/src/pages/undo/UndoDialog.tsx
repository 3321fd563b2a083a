import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useChange } from '../../api/ask.ts'
import { Skeleton } from '../../kit/Blank.tsx'
import { Dialog } from '../../kit/Dialog.tsx'
import { TextField } from '../../kit/Field.tsx'
import { Select } from '../../kit/Select.tsx'
import { tell } from '../../kit/Toasts.tsx'
import type { UndoTarget } from '../../kit/undo.ts'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { undoWords } from '../../words/undo.ts'
import { Plan } from './Plan.tsx'
import { type OnConflict, undoChange, undoPlan } from './questions.ts'
import './undo.css'

/** Shows what undoing a change would do, and does it. */
export function UndoDialog({ target, onClose }: { target: UndoTarget; onClose(): void }) {
  const words = useWords(undoWords)
  const general = useWords(common)
  const plan = useQuery(undoPlan(target))
  const [choice, setChoice] = useState<OnConflict | ''>('')
  const [reason, setReason] = useState('')
  const change = useChange('privileges', () => undoChange(target, choice || 'refuse'), { reason })
  const { data } = plan
  const isForcible = data?.records.some(({ conflicts }) => conflicts.some(({ forcible }) => forcible)) ?? false
  const choices = [{ id: 'skip', name: words.skip }, ...(isForcible ? [{ id: 'force', name: words.force }] : [])]
  const because = !data
    ? plan.error
      ? words.impossible
      : words.planning
    : data.conflict > 0 && !choice
      ? words.chooseFirst
      : data.undone === 0 && choice !== 'force'
        ? words.nothingToUndo
        : undefined
  const undo = () =>
    change.mutate(undefined, {
      onSuccess: ({ undone }) => {
        tell(words.undone(undone), change.request())
        onClose()
      },
    })
  return (
    <Dialog
      title={words.title}
      action={words.undo}
      wide
      busy={change.isPending}
      because={because}
      error={change.error ?? plan.error}
      onAction={undo}
      onClose={onClose}
    >
      {plan.isPending && <Skeleton lines={4} height={20} />}
      {data && <Plan plan={data} />}
      {data && data.conflict > 0 && (
        <Select
          label={words.overtaken(data.conflict)}
          value={choice}
          onChange={(id) => setChoice(id as OnConflict)}
          choices={choices}
          required
        />
      )}
      {data && <TextField label={general.reason} value={reason} onChange={setReason} help={general.reasonWhy} />}
    </Dialog>
  )
}
