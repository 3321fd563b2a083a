import { subscriptions as operations } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useChange } from '../../api/ask.ts'
import { useRefusal } from '../../api/may.ts'
import { Empty, Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { Dialog } from '../../kit/Dialog.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { eventWords } from '../../words/events.ts'
import { moment, number, useWords } from '../../words/index.ts'
import { deadLettersAtOnce, deadLettersOf, discard, type Range, replay, type Subscription } from './questions.ts'

interface DeadLettersProps {
  subscription: Subscription
  after: string | undefined
  onAfter(after: string | undefined): void
}

/** Events that were rejected on every attempt, with the reason; they can be sent again or discarded, one by one or together. */
export function DeadLetters({ subscription, after, onAfter }: DeadLettersProps) {
  const words = useWords(eventWords)
  const refused = useRefusal(operations.replay)
  const [asksAll, setAsksAll] = useState(false)
  const found = useQuery(deadLettersOf(subscription, after))
  const again = useChange('subscriptions', (range: Range) =>
    replay(subscription.subscription_id, { ...range, dead_letters: true }),
  )
  const send = (range: Range) =>
    again.mutate(range, { onSuccess: ({ dead_letters }) => tell(words.revived(dead_letters)) })
  const discarding = useChange('subscriptions', (range: Range) => discard(subscription.subscription_id, range))
  const drop = (range: Range) =>
    discarding.mutate(range, {
      onSuccess: ({ dead_letters }) => {
        setAsksAll(false)
        tell(words.discarded(dead_letters))
      },
    })
  if (found.error) return <Failure error={found.error} retry={found.refetch} />
  if (!found.data) return <Skeleton lines={6} height={24} />
  const last = found.data.at(-1)
  if (!last) {
    return (
      <Empty title={words.noDead}>
        <p>{words.noDeadWhy}</p>
        {after && <Button onPress={() => onAfter(undefined)}>{words.fromStart}</Button>}
      </Empty>
    )
  }
  return (
    <>
      <div className="buttons">
        <Button icon="again" because={refused} busy={again.isPending} onPress={() => send({})}>
          {words.allAgain}
        </Button>
        <Button icon="bin" because={refused} onPress={() => setAsksAll(true)}>
          {words.discardAll}
        </Button>
        {after && <Button onPress={() => onAfter(undefined)}>{words.fromStart}</Button>}
        {found.data.length >= deadLettersAtOnce && (
          <Button onPress={() => onAfter(String(last.position))}>{words.further}</Button>
        )}
      </div>
      {again.error && <Failure error={again.error} />}
      {discarding.error && <Failure error={discarding.error} />}
      {asksAll && (
        <Dialog
          title={words.discardTitle}
          action={words.discardAll}
          busy={discarding.isPending}
          error={discarding.error}
          onAction={() => drop({})}
          onClose={() => setAsksAll(false)}
        >
          <p>{words.discardWhy}</p>
        </Dialog>
      )}
      <div className="wide-table">
        <table className="table" aria-label={words.deadLetters}>
          <thead>
            <tr>
              <th scope="col" className="number">
                {words.position}
              </th>
              <th scope="col">{words.event}</th>
              <th scope="col">{words.lastTry}</th>
              <th scope="col" className="number">
                {words.tries}
              </th>
              <th scope="col">{words.why}</th>
              <th scope="col">
                <span className="unseen">{words.again}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {found.data.map((letter) => (
              <tr key={letter.webhook_id}>
                <td className="number">{number(letter.position)}</td>
                <td title={letter.request_body ?? ''}>
                  <code>{letter.event_name}</code> {letter.bk_inst_id !== null && `#${letter.bk_inst_id}`}
                </td>
                <td className="quiet">{moment(letter.time)}</td>
                <td className="number">{letter.tries}</td>
                <td>{letter.error}</td>
                <td className="number">
                  <Button
                    icon="again"
                    look="quiet"
                    label={`${words.again}: ${letter.position}`}
                    because={refused}
                    onPress={() => send({ from_position: letter.position, to_position: letter.position })}
                  />
                  <Button
                    icon="bin"
                    look="quiet"
                    label={`${words.discard}: ${letter.position}`}
                    because={refused}
                    onPress={() => drop({ from_position: letter.position, to_position: letter.position })}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
