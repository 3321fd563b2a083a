import { useQuery } from '@tanstack/react-query'
import { Disclosure, DisclosurePanel, Button as Pressable } from 'react-aria-components'
import { Empty, Skeleton } from '../../kit/Blank.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { eventWords } from '../../words/events.ts'
import { clock, moment, number, useWords } from '../../words/index.ts'
import { type Attempt, attemptsOf, type Subscription } from './questions.ts'
import { Sparkline } from './Sparkline.tsx'

const looks: Record<string, string> = { confirmed: 'good', rejected: 'warn', unreachable: 'bad' }
const idOf = (attempt: Attempt) => `${attempt.distribution_id}.${attempt.time}`

interface AttemptsProps {
  subscription: Subscription
  /** The expanded one, by `idOf`. */
  open: string | undefined
  onOpen(id: string | undefined): void
}

/** The latest pushes, newest first. */
export function Attempts({ subscription, open, onOpen }: AttemptsProps) {
  const words = useWords(eventWords)
  const found = useQuery({ ...attemptsOf(subscription), placeholderData: (before) => before })
  if (found.error) return <Failure error={found.error} retry={found.refetch} />
  if (!found.data) return <Skeleton lines={8} height={24} />
  if (found.data.length === 0) {
    return (
      <Empty title={words.noAttempt}>
        <p>{words.noAttemptWhy}</p>
      </Empty>
    )
  }
  const failed = found.data.filter((each) => each.result !== 'confirmed').length
  return (
    <>
      <div className="attempts-picture">
        <Sparkline attempts={found.data} most={Math.max(40, found.data.length)} />
        <span className="quiet">{words.pushes(found.data.length, failed)}</span>
      </div>
      <ol className="attempts" aria-label={words.attempts}>
        {found.data.map((attempt) => (
          <li key={idOf(attempt)}>
            <Disclosure
              className="entry"
              isExpanded={open === idOf(attempt)}
              onExpandedChange={(expanded) => onOpen(expanded ? idOf(attempt) : undefined)}
            >
              <Pressable slot="trigger" className="entry-head attempt-head">
                <time dateTime={attempt.time}>{clock(attempt.time)}</time>
                <span className={`tag ${looks[attempt.result] ?? ''}`}>
                  {words.results[attempt.result] ?? attempt.result}
                </span>
                <span className="number">{attempt.http_status ?? ''}</span>
                <span className="number">{words.took(attempt.duration)}</span>
                <span className="truncate entry-what">{attempt.error || attempt.response_body}</span>
                <span className="quiet number">#{number(attempt.distribution_id)}</span>
                <Icon name="chevron" size={14} />
              </Pressable>
              <DisclosurePanel className="entry-body">
                <AttemptDetail attempt={attempt} />
              </DisclosurePanel>
            </Disclosure>
          </li>
        ))}
      </ol>
    </>
  )
}

function AttemptDetail({ attempt }: { attempt: Attempt }) {
  const words = useWords(eventWords)
  return (
    <dl className="facts">
      <div>
        <dt>{words.time}</dt>
        <dd>{moment(attempt.time)}</dd>
      </div>
      <div>
        <dt>{words.position}</dt>
        <dd>{number(attempt.position)}</dd>
      </div>
      {attempt.event_name && (
        <div>
          <dt>{words.event}</dt>
          <dd>
            <code>{attempt.event_name}</code> {attempt.bk_inst_id !== null && `#${attempt.bk_inst_id}`}
          </dd>
        </div>
      )}
      <div>
        <dt>{words.webhookId}</dt>
        <dd>
          <code>{attempt.webhook_id}</code>
        </dd>
      </div>
      {attempt.error && (
        <div>
          <dt>{words.why}</dt>
          <dd>{attempt.error}</dd>
        </div>
      )}
      {attempt.request_body !== null && (
        <div>
          <dt>{words.requestBody}</dt>
          <dd>
            <pre className="json mono">{attempt.request_body}</pre>
          </dd>
        </div>
      )}
      <div>
        <dt>{words.answer}</dt>
        <dd>
          {attempt.response_body ? (
            <pre className="json mono">{attempt.response_body}</pre>
          ) : (
            <span className="quiet">{words.emptyAnswer}</span>
          )}
        </dd>
      </div>
    </dl>
  )
}
