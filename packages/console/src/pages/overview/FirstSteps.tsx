import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { findBusinesses } from '../../api/businesses.ts'
import { Button } from '../../kit/Button.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { prefer, usePreferences } from '../../preferences.ts'
import { useWords } from '../../words/index.ts'
import { overview } from '../../words/overview.ts'
import { queryEvent } from '../events/names.ts'
import { allSubscriptions } from '../events/questions.ts'
import { queriesNamed } from '../queries/questions.ts'
import { hostCountIn } from './questions.ts'

const order = ['business', 'hosts', 'query', 'subscription'] as const
type Step = (typeof order)[number]

export interface Steps {
  readonly done: ReadonlySet<Step>
  readonly next: Step
  /** Where they link to: the current business, or else the first one. */
  readonly business: string
  /** The business to subscribe to. */
  readonly query: { readonly id: string; readonly bk_biz_id: number } | undefined
}

/** The completed steps from an empty estate to a subscription. Null: all are completed, or hidden, or the user lacks the privileges. */
export function useSteps(): Steps | null | undefined {
  const { settled, business: last } = usePreferences()
  const enabled = !settled
  const businesses = useQuery({ ...findBusinesses(''), enabled })
  const hosts = useQuery({ ...hostCountIn('all'), enabled })
  const queries = useQuery({ ...queriesNamed('', 1), enabled })
  const subscriptions = useQuery({ ...allSubscriptions(), refetchInterval: false, enabled })
  const asked = [businesses, hosts, queries, subscriptions]
  if (settled) return null
  // A refetch by another component makes a failed query pending again, so the previous state is kept.
  if (asked.some((each) => !each.isFetched)) return undefined
  if (asked.some((each) => each.data === undefined)) return null
  const there = businesses.data?.businesses ?? []
  const counts: Record<Step, number> = {
    business: there.length,
    hosts: hosts.data ?? 0,
    query: queries.data?.length ?? 0,
    subscription: subscriptions.data?.length ?? 0,
  }
  const next = order.find((step) => counts[step] === 0)
  if (!next) return null
  return {
    done: new Set(order.filter((step) => counts[step] > 0)),
    next,
    business: String((there.find((each) => each.bk_biz_id === last) ?? there[0])?.bk_biz_id),
    query: queries.data?.[0],
  }
}

interface FirstStepsProps {
  steps: Steps
  refused: string | undefined
  onCreate(): void
}

/** The steps from an empty estate to a subscription, with a link to the next one. */
export function FirstSteps({ steps, refused, onCreate }: FirstStepsProps) {
  const words = useWords(overview)
  return (
    <section className="card first-steps" aria-labelledby="first-steps">
      <header>
        <h2 id="first-steps">{words.firstSteps}</h2>
        <Button look="quiet" onPress={() => prefer({ settled: true })}>
          {words.hideSteps}
        </Button>
      </header>
      <ol>
        {order.map((step, at) => (
          <li key={step} className={steps.done.has(step) ? 'done' : step === steps.next ? 'next' : ''}>
            <span className="step-sign" aria-hidden="true">
              {steps.done.has(step) ? <Icon name="check" size={12} /> : at + 1}
            </span>
            <h3>
              {words.steps[step].name}
              {steps.done.has(step) && <span className="unseen"> ({words.stepDone})</span>}
            </h3>
            <p>{words.steps[step].why}</p>
            {step === 'business' && step === steps.next && (
              <Button look="primary" icon="plus" because={refused} onPress={onCreate}>
                {words.create}
              </Button>
            )}
            {step !== 'business' && step === steps.next && <WayTo step={step} steps={steps} />}
          </li>
        ))}
      </ol>
    </section>
  )
}

function WayTo({ step, steps: { business, query } }: { step: Exclude<Step, 'business'>; steps: Steps }) {
  const { go } = useWords(overview).steps[step]
  const params = { business }
  if (step === 'hosts') {
    return (
      <Link to="/topology/$business" params={params} className="button primary">
        {go}
      </Link>
    )
  }
  if (step === 'query') {
    return (
      <Link to="/queries/$business" params={params} className="button primary">
        {go}
      </Link>
    )
  }
  return (
    <Link
      to="/events/new"
      search={query ? { business: String(query.bk_biz_id), event: queryEvent(query.id) } : {}}
      className="button primary"
    >
      {go}
    </Link>
  )
}
