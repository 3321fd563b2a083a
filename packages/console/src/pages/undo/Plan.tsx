import { useQuery } from '@tanstack/react-query'
import { attributesOf } from '../../api/model.ts'
import { Station } from '../../kit/Station.tsx'
import { common } from '../../words/common.ts'
import { moment, useWords } from '../../words/index.ts'
import { undoWords } from '../../words/undo.ts'
import { shownValue } from '../audit/diff.ts'
import type { PlannedRecord, UndoPlan } from './questions.ts'

const mostShown = 100

/** What undoing does to each instance. */
export function Plan({ plan }: { plan: UndoPlan }) {
  const words = useWords(undoWords)
  const ordered = [...plan.records].sort((one, other) => rankOf(one) - rankOf(other))
  return (
    <>
      <p>{words.summary(plan)}</p>
      <ul className="undo-plan">
        {ordered.slice(0, mostShown).map((record) => (
          <li key={record.position} className={record.outcome}>
            <Station object={record.bk_obj_id} />
            <strong className="truncate">{record.name || `#${record.bk_inst_id}`}</strong>
            <span className="quiet">{sayOutcome(record, words)}</span>
            {record.outcome === 'conflict' && <Conflicts record={record} />}
          </li>
        ))}
      </ul>
      {plan.records.length > mostShown && <p className="quiet">{words.more(plan.records.length - mostShown)}</p>}
    </>
  )
}

const order: readonly PlannedRecord['outcome'][] = ['conflict', 'undone', 'already']
const rankOf = ({ outcome }: PlannedRecord) => order.indexOf(outcome)

function sayOutcome({ outcome, op_type }: PlannedRecord, words: typeof undoWords.en): string {
  if (outcome === 'already') return words.already
  if (outcome === 'conflict') return words.conflict
  return { 1: words.willDelete, 2: words.willRevert, 3: words.willRestore, 100: words.willMoveBack }[op_type] ?? ''
}

function Conflicts({ record }: { record: PlannedRecord }) {
  const words = useWords(undoWords)
  const general = useWords(common)
  const attributes = useQuery(attributesOf(record.bk_obj_id)).data ?? []
  return (
    <ul className="undo-conflicts">
      {record.conflicts.map(({ field, now, before, why, since }) => {
        const attribute = attributes.find((each) => each.bk_property_id === field)
        const say = (value: unknown) => shownValue(attribute, value, general) || general.unset
        return (
          <li key={field}>
            {field ? (
              <>
                <strong>{attribute?.bk_property_name ?? field}</strong> {words.nowAndThen(say(now), say(before))}
              </>
            ) : (
              why
            )}
            {since && <span className="quiet"> {words.since(since.operator, moment(since.op_time))}</span>}
          </li>
        )
      })}
    </ul>
  )
}
