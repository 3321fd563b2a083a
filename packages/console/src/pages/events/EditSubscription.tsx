import { subscriptions as operations } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/ask.ts'
import { useRefusal } from '../../api/may.ts'
import { BusinessField } from '../../forms/BusinessField.tsx'
import { useSeenRevision } from '../../forms/seen-revision.ts'
import { Empty, Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { TextField } from '../../kit/Field.tsx'
import { PageTitle } from '../../kit/PageTitle.tsx'
import { Select } from '../../kit/Select.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { forgetUnsaved, UnsavedForm, useUnsavedForm } from '../../kit/unsaved.ts'
import { common } from '../../words/common.ts'
import { eventWords } from '../../words/events.ts'
import { useWords } from '../../words/index.ts'
import { Chooser } from './Chooser.tsx'
import { type Draft, definitionOf, draftOf, freshDraft, type Problem, problemsOf, usual } from './draft.ts'
import { FilterSection } from './FilterSection.tsx'
import { namesIn } from './names.ts'
import { allSubscriptions, replace, type Subscription, subscribe } from './questions.ts'
import { SecretDialog } from './SecretDialog.tsx'
import { TryOut } from './TryOut.tsx'
import './events.css'

export const newRoute = createLazyRoute('/events/new')({ component: NewSubscription })
export const editRoute = createLazyRoute('/events/$subscription/edit')({ component: EditSubscription })

function NewSubscription() {
  const { business, event } = newRoute.useSearch()
  return <SubscriptionForm saved={null} begin={freshDraft(namesIn(event ?? ''))} business={business ?? ''} />
}

function EditSubscription() {
  const words = useWords(eventWords)
  const id = Number(editRoute.useParams().subscription)
  // Changes by other users must not disturb the form.
  const found = useQuery({ ...allSubscriptions(), refetchInterval: false })
  const saved = found.data?.find((each) => each.subscription_id === id)
  if (saved) return <SubscriptionForm saved={saved} begin={draftOf(saved)} business={String(saved.bk_biz_id)} />
  return (
    <main className="page" id="content">
      {found.error ? (
        <div className="content">
          <Failure error={found.error} retry={found.refetch} />
        </div>
      ) : found.data ? (
        <Empty title={words.gone} page>
          <p>{words.goneWhy}</p>
          <Link to="/events">{words.back}</Link>
        </Empty>
      ) : (
        <div className="content">
          <Skeleton lines={10} height={30} />
        </div>
      )}
    </main>
  )
}

interface SubscriptionFormProps {
  saved: Subscription | null
  begin: Draft
  /** '' or '0' for all businesses. */
  business: string
}

function SubscriptionForm({ saved, begin, business }: SubscriptionFormProps) {
  const words = useWords(eventWords)
  const general = useWords(common)
  const navigate = useNavigate()
  const [draft, setDraft] = useState(begin)
  const [place, setPlace] = useState(Number(business) || 0)
  const [tried, setTried] = useState(false)
  const [made, setMade] = useState<{ subscription_id: number; secret: string } | null>(null)
  const refused = useRefusal(saved ? operations.updateEventSubscribe : operations.subscribeEvent)
  const problems = tried ? problemsOf(draft) : {}
  const say = (problem: Problem | undefined) =>
    problem &&
    {
      required: general.check.required,
      status: general.check.between('100', '599'),
      timeout: words.timeoutRange(usual.least, usual.most),
      parallel: words.timeoutRange(1, usual.mostParallel),
      batch: words.timeoutRange(1, usual.mostBatch),
      batchWait: words.timeoutRange(0, usual.mostBatchWait),
      events: words.noneChosen,
    }[problem]
  const field = (name: Exclude<keyof Draft, 'events' | 'filter' | 'mode' | 'format'>) => ({
    value: draft[name],
    onChange: (value: string) => setDraft({ ...draft, [name]: value }),
    problem: name === 'system' ? undefined : say(problems[name]),
  })
  const leave = (id: number) => navigate({ to: '/events/$subscription', params: { subscription: String(id) } })
  const change = useChange('subscriptions', async () => {
    if (!saved) return subscribe(place, definitionOf(draft))
    await replace(saved.subscription_id, definitionOf(draft), revision ?? saved.bk_revision)
    return null
  })
  const revision = useSeenRevision(saved?.bk_revision, change.error)
  const unsaved = useUnsavedForm()
  const cancel = () => {
    forgetUnsaved()
    if (saved) leave(saved.subscription_id)
    else navigate({ to: '/events' })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (refused || change.isPending || Object.keys(problemsOf(draft)).length > 0) return
    change.mutate(undefined, {
      onSuccess: (subscribed) => {
        if (subscribed) return setMade(subscribed)
        tell(words.saved)
        if (saved) leave(saved.subscription_id)
      },
    })
  }
  return (
    <main className="page" id="content">
      <form className="subscription-form" onSubmit={submit} noValidate aria-label={words.newTitle}>
        <header>
          <PageTitle text={saved ? words.editTitle(saved.subscription_name) : words.newTitle} />
          <div className="actions">
            <Button onPress={cancel}>{general.cancel}</Button>
            <Button look="primary" type="submit" busy={change.isPending} because={refused}>
              {saved ? words.save : words.create}
            </Button>
          </div>
        </header>
        {change.error && <Failure error={change.error} />}
        <UnsavedForm value={unsaved}>
          <div className="subscription-sides">
            <section className="subscription-side" aria-label={words.receiver}>
              <TextField label={words.name} {...field('name')} required autoFocus={!saved} />
              <BusinessField
                label={words.business}
                value={String(place)}
                onChange={(id) => setPlace(Number(id))}
                besides={[{ id: '0', name: words.allBusinesses }]}
                isDisabled={saved !== null}
              />
              <TextField
                label={words.url}
                {...field('url')}
                help={words.urlHelp}
                placeholder="https://example.com/events"
                required
                mono
              />
              <TryOut draft={draft} />
              <div className="field-pair">
                <Select
                  label={words.confirm}
                  value={draft.mode}
                  onChange={(mode) => setDraft({ ...draft, mode, pattern: mode === 'httpstatus' ? usual.status : '' })}
                  choices={Object.entries(words.modes).map(([id, name]) => ({ id, name }))}
                  required
                />
                <TextField
                  label={draft.mode === 'httpstatus' ? words.status : words.pattern}
                  {...field('pattern')}
                  required
                  mono
                />
              </div>
              <TextField label={words.system} {...field('system')} />
              <div className="field-pair">
                <TextField
                  label={words.parallel}
                  {...field('parallel')}
                  help={words.parallelHelp}
                  inputMode="numeric"
                  required
                />
                <TextField
                  label={words.timeout}
                  {...field('timeout')}
                  unit={words.seconds}
                  inputMode="numeric"
                  required
                />
              </div>
              <div className="field-pair">
                <Select
                  label={words.format}
                  value={draft.format}
                  onChange={(format) => setDraft({ ...draft, format })}
                  choices={Object.entries(words.formats).map(([id, name]) => ({ id, name }))}
                  required
                />
                <TextField label={words.batch} {...field('batch')} inputMode="numeric" required />
              </div>
              {Number(draft.batch) > 1 && (
                <TextField
                  label={words.batchWait}
                  {...field('batchWait')}
                  unit={words.milliseconds}
                  help={words.batchHelp}
                  inputMode="numeric"
                  required
                />
              )}
            </section>
            <div className="subscription-side">
              <Chooser
                business={place}
                chosen={draft.events}
                onChange={(events) => setDraft({ ...draft, events })}
                problem={say(problems.events)}
              />
              <FilterSection draft={draft} business={place} onChange={(filter) => setDraft({ ...draft, filter })} />
            </div>
          </div>
        </UnsavedForm>
      </form>
      {made && (
        <SecretDialog
          secret={made.secret}
          why={words.secretWhy}
          onKept={() => {
            tell(words.created(draft.name.trim()))
            leave(made.subscription_id)
          }}
        />
      )}
    </main>
  )
}
