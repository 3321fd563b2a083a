import { subscriptions as operations } from '@mainline/contract'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../../api/ask.ts'
import { useRefusal } from '../../api/may.ts'
import { Button } from '../../kit/Button.tsx'
import { DeleteDialog } from '../../kit/DeleteDialog.tsx'
import { Dialog } from '../../kit/Dialog.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { eventWords } from '../../words/events.ts'
import { useWords } from '../../words/index.ts'
import { pause, resume, rotate, type Subscription, unsubscribe } from './questions.ts'
import { ReplayDialog } from './ReplayDialog.tsx'
import { SecretDialog } from './SecretDialog.tsx'

export function SubscriptionActions({ subscription }: { subscription: Subscription }) {
  const words = useWords(eventWords)
  const navigate = useNavigate()
  const refused = useRefusal(operations.updateEventSubscribe)
  const [asked, setAsked] = useState<'replay' | 'rotate' | 'delete' | null>(null)
  const { subscription_id: id, subscription_name: name, state, lag, waiting, dead_letters: dead } = subscription
  // Two buttons: one is still pending until everything is refetched, when the other is already offered.
  const [pausing, resuming] = [
    useChange('subscriptions', () => pause(subscription)),
    useChange('subscriptions', () => resume(subscription)),
  ]
  const change = state === 'paused' ? resuming : pausing
  const close = () => setAsked(null)
  const turn = () =>
    change.mutate(undefined, { onSuccess: () => tell(state === 'paused' ? words.resumed : words.paused) })
  return (
    <div className="actions">
      {change.error && <Failure error={change.error} />}
      <Button icon={state === 'paused' ? 'play' : 'pause'} because={refused} busy={change.isPending} onPress={turn}>
        {state === 'paused' ? words.resume : words.pause}
      </Button>
      <Button icon="again" because={refused} onPress={() => setAsked('replay')}>
        {words.replay}
      </Button>
      <Button icon="key" because={refused} onPress={() => setAsked('rotate')}>
        {words.rotate}
      </Button>
      <Button
        icon="pencil"
        because={refused}
        onPress={() => navigate({ to: '/events/$subscription/edit', params: { subscription: String(id) } })}
      >
        {words.edit}
      </Button>
      <Button icon="bin" label={words.unsubscribe} because={refused} onPress={() => setAsked('delete')} />
      {asked === 'replay' && <ReplayDialog subscription={subscription} onClose={close} />}
      {asked === 'rotate' && <RotateDialog subscription={subscription} onClose={close} />}
      {asked === 'delete' && (
        <DeleteDialog
          subject="subscriptions"
          title={words.unsubscribeTitle(name)}
          action={words.unsubscribe}
          told={words.unsubscribed(name)}
          isFinal
          remove={() => unsubscribe(id, subscription.bk_revision)}
          onClose={close}
          onGone={() => navigate({ to: '/events' })}
        >
          <p>{words.unsubscribeWhy(subscription.callback_url, { lag, waiting, dead })}</p>
        </DeleteDialog>
      )}
    </div>
  )
}

function RotateDialog({ subscription, onClose }: { subscription: Subscription; onClose(): void }) {
  const words = useWords(eventWords)
  const change = useChange('subscriptions', () => rotate(subscription))
  if (change.data) return <SecretDialog secret={change.data.secret} why={words.rotatedWhy} onKept={onClose} />
  return (
    <Dialog
      title={words.rotateTitle}
      action={words.rotate}
      busy={change.isPending}
      error={change.error}
      onAction={() => change.mutate(undefined)}
      onClose={onClose}
    >
      <p>{words.rotateWhy}</p>
    </Dialog>
  )
}

/** Why no events arrive, if known; lost events are shown until they are acknowledged. */
export function Trouble({ subscription }: { subscription: Subscription }) {
  const words = useWords(eventWords)
  const refused = useRefusal(operations.resumeSubscription)
  const change = useChange('subscriptions', () => resume(subscription))
  const { state, state_reason: reason, filter_problem: filterProblem } = subscription
  if (!reason) return filterProblem ? <FilterProblem reason={filterProblem} /> : null
  return (
    <div className={`notice trouble ${state === 'paused' ? '' : 'warn'}`}>
      <Icon name={state === 'paused' ? 'info' : 'warning'} />
      <p>{reason}</p>
      {state === 'lapsed' && (
        <Button because={refused} busy={change.isPending} onPress={() => change.mutate(undefined)}>
          {words.acknowledge}
        </Button>
      )}
      {change.error && <Failure error={change.error} />}
    </div>
  )
}

function FilterProblem({ reason }: { reason: string }) {
  const words = useWords(eventWords)
  return (
    <div className="notice trouble warn">
      <Icon name="warning" />
      <p>{words.filterProblem(reason)}</p>
    </div>
  )
}
