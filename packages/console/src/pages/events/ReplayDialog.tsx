import { useState } from 'react'
import { useChange } from '../../api/ask.ts'
import { Dialog } from '../../kit/Dialog.tsx'
import { TextField } from '../../kit/Field.tsx'
import { Select } from '../../kit/Select.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { common } from '../../words/common.ts'
import { eventWords } from '../../words/events.ts'
import { useWords } from '../../words/index.ts'
import { instantOf } from '../../zone.ts'
import { type Range, replay, type Subscription } from './questions.ts'

type Kind = 'dead' | 'positions' | 'times'

/** Sends past events again: the dead letters, or the matching events of a range. */
export function ReplayDialog({ subscription, onClose }: { subscription: Subscription; onClose(): void }) {
  const words = useWords(eventWords)
  const general = useWords(common)
  const { subscription_id: id, dead_letters: dead, position } = subscription
  const [kind, setKind] = useState<Kind>(dead > 0 ? 'dead' : 'positions')
  const [from, setFrom] = useState('')
  const [to, setTo] = useState(dead > 0 ? '' : String(position))
  const [tried, setTried] = useState(false)
  const problem = (text: string) => {
    if (kind === 'dead') return undefined
    if (!text.trim()) return general.check.required
    return kind === 'positions' && !/^[1-9]\d{0,14}$/.test(text.trim()) ? general.check.integer : undefined
  }
  const isBackwards = kind === 'positions' ? Number(from) > Number(to) : kind === 'times' && from > to
  const problems = { from: problem(from), to: problem(to) ?? (isBackwards ? words.wrongRange : undefined) }
  const change = useChange('subscriptions', () => replay(id, rangeOf(kind, from, to)))
  const send = () => {
    setTried(true)
    if (problems.from || problems.to) return
    change.mutate(undefined, {
      onSuccess: (done) => {
        const { from_position: first, to_position: last } = done
        tell(
          kind === 'dead'
            ? words.revived(done.dead_letters)
            : first !== null && last !== null
              ? words.replayed(first, last)
              : words.nothingReplayed,
        )
        onClose()
      },
    })
  }
  const bound = (label: string, value: string, onChange: (text: string) => void, wrong: string | undefined) => (
    <TextField
      label={label}
      value={value}
      onChange={onChange}
      problem={tried ? wrong : undefined}
      type={kind === 'times' ? 'datetime-local' : 'text'}
      inputMode={kind === 'times' ? 'text' : 'numeric'}
      required
    />
  )
  return (
    <Dialog
      title={words.replayTitle}
      action={words.again}
      busy={change.isPending}
      error={change.error}
      onAction={send}
      onClose={onClose}
    >
      <p>{words.replayWhy}</p>
      <Select
        label={words.replayWhat}
        value={kind}
        onChange={(next) => {
          setKind(next as Kind)
          setFrom('')
          setTo(next === 'positions' ? String(position) : '')
          setTried(false)
        }}
        choices={(['dead', 'positions', 'times'] as const).map((each) => ({ id: each, name: words.replayKinds[each] }))}
        required
      />
      {kind !== 'dead' && (
        <div className="small-fields">
          {bound(words.from, from, setFrom, problems.from)}
          {bound(words.to, to, setTo, problems.to)}
        </div>
      )}
    </Dialog>
  )
}

/** Times are in the reader's zone, and sent with their offset. */
function rangeOf(kind: Kind, from: string, to: string): Range {
  if (kind === 'dead') return { dead_letters: true }
  if (kind === 'positions') return { from_position: Number(from), to_position: Number(to) }
  return { from_time: instantOf(from), to_time: instantOf(to) }
}
