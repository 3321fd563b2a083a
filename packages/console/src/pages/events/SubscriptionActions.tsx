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
  // Two of them: the one is not done before all has been asked for again, and by then the other is already offered.
  const [pausing, resuming] = [useChange(() => pause(id)), useChange(() => resume(id))]
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
      {asked === 'rotate' && <RotateDialog id={id} onClose={close} />}
      {asked === 'delete' && (
        <DeleteDialog
          title={words.unsubscribeTitle(name)}
          action={words.unsubscribe}
          told={words.unsubscribed(name)}
          remove={() => unsubscribe(id)}
          onClose={close}
          onGone={() => navigate({ to: '/events' })}
        >
          <p>{words.unsubscribeWhy(subscription.callback_url, { lag, waiting, dead })}</p>
        </DeleteDialog>
      )}
    </div>
  )
}

function RotateDialog({ id, onClose }: { id: number; onClose(): void }) {
  const words = useWords(eventWords)
  const change = useChange(() => rotate(id))
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

/** Why nothing arrives, where that is known; what has lapsed stays until somebody has seen it. */
export function Trouble({ subscription }: { subscription: Subscription }) {
  const words = useWords(eventWords)
  const refused = useRefusal(operations.resumeSubscription)
  const change = useChange(() => resume(subscription.subscription_id))
  const { state, state_reason: reason } = subscription
  if (!reason) return null
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
