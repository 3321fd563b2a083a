// Delivery of events to subscriptions. A process claims its fair share of them (`ownership/claim.ts`, `ownership/ownership.ts`) for as long as it holds its
// lease (`ownership/sender-lease.ts`); each claim draws a new epoch. Every claimed subscription has a sender (`sender.ts`), which delivers one
// event at a time, or up to `parallel` of them beside each other, never two about one instance. Each goes this way:
//
//   loading --> choosing --> sending --+-- confirmed, or withheld --> choosing the next event
//                  |                   |
//                  |                   +-- rejected ----------------> choosing; the event waits for its retry and later events about
//                  |                   |                              its instance wait behind it; a dead letter after the last try
//                  |                   |
//                  |                   +-- unreachable -------------> backoff, then the same event alone; this is not one of its tries
//                  |
//                  +-- no event: idle until the log grows or a retry is due
//
//   from any state:  subscription changed, or replay finished --> loading once nothing is in flight (a paused subscription is idle)
//                    lease lost, epoch drawn by another process, subscription deleted, database gone back, process stops --> stopped
//
// "Choosing" is `queue/event-queue.ts`: due retries, new events and replays in turns, of instances without an event in flight. The cursor stops
// before the first event that is neither confirmed nor set aside; later ones that are settled sooner are stored beside it (`settled_ahead`).
// What a sender has done is in memory (`progress.ts`) until `progress-store.ts` saves it, for all subscriptions in one transaction and only
// under the claimed epoch. An event that was sent and not saved is sent again, with the same webhook id.
import type { Registry } from 'prom-client'
import { WakeSignal } from '../../../common/concurrency/wake-signal.ts'
import type { Zone } from '../../../common/time.ts'
import type { Outbound } from '../../../outbound/index.ts'
import type { Storage } from '../../../storage/index.ts'
import type { MissingSearchGrant } from '../../privileges/index.ts'
import type { Identities, Tail } from '../feed/index.ts'
import { pusherOf } from './attempt/push.ts'
import { measure } from './metrics.ts'
import { Ownership } from './ownership/ownership.ts'
import { Senders } from './ownership/senders.ts'
import { openProgressStore } from './progress-store.ts'
import { Sender } from './sender.ts'
import { SharedLog } from './shared-log.ts'

/** Interval of reading subscriptions and claims. */
const lookPauseMs = 500
/** The same in an idle process: with subscriptions, often enough for the lease; without any, nothing has to be renewed. */
const idleLookPauseMs = 1_000
const unsubscribedLookPauseMs = 10_000

interface DeliveryParts {
  readonly storage: Storage
  readonly tail: Tail
  readonly outbound: Outbound
  readonly zone: Zone
  readonly schedule: readonly number[]
  /** How much of a response `confirm_pattern` is searched in. */
  readonly confirmBytes: number
  readonly registry: Registry
  readonly identities?: Identities
  readonly lacks: MissingSearchGrant
}

export interface Delivery {
  /** Reads changes of subscriptions now instead of at the next interval. Resolves once senders have them. */
  look(): Promise<void>
  /** Stops all senders and releases their subscriptions immediately, so that another process can take over. */
  stop(): Promise<void>
}

/** Delivers events to subscriptions. Any number of processes share the work; each subscription has one sender at a time. */
export function startDelivery({ storage, tail, outbound, zone, registry, ...rest }: DeliveryParts): Delivery {
  const { background } = storage
  const stopping = new AbortController()
  const lookSignal = new WakeSignal()
  const senderStarted = new WakeSignal()
  const log = new SharedLog(tail)
  const metrics = measure(registry, tail, () => senders.all())
  const store = openProgressStore(storage, { onLost: (progress) => senders.drop(progress) })
  const senders = new Senders({
    start(owned) {
      senderStarted.wake()
      return new Sender(
        {
          storage,
          log,
          store,
          lease: ownership.lease,
          schedule: rest.schedule,
          identities: rest.identities,
          zone,
          lacks: rest.lacks,
          pusherFor: (subscription) => pusherOf(subscription, { outbound, zone, confirmBytes: rest.confirmBytes }),
          onPushed: metrics.pushed,
        },
        owned,
      )
    },
    onGone: metrics.forget,
  })
  const ownership = new Ownership(storage, store, senders)
  // The database has gone back, so the state of senders belongs to a lost log. They restart from what is stored.
  storage.history.onDrop(() => {
    ownership.lease.end()
    store.discard()
    senders.forgetEpochs()
    log.reset()
    lookSignal.wake()
  })

  async function keepLooking(): Promise<void> {
    while (!stopping.signal.aborted) {
      await background.available(stopping.signal)
      await ownership.look()
      await lookSignal.wait(lookPauseMs)
      const idlePauseMs = ownership.isNeeded ? idleLookPauseMs : unsubscribedLookPauseMs
      if (background.activity.isIdle) await background.activity.next(idlePauseMs - lookPauseMs, stopping.signal)
    }
  }

  async function followLog(): Promise<void> {
    while (!stopping.signal.aborted) {
      // Without senders the end of the log need not be followed.
      if (senders.size === 0) await senderStarted.wait(lookPauseMs)
      else await log.grown(stopping.signal)
      for (const sender of senders.all()) sender.wake()
    }
  }

  const loops = [keepLooking(), followLog()]
  return {
    look: () => (stopping.signal.aborted ? Promise.resolve() : ownership.look()),
    async stop() {
      stopping.abort()
      ownership.beginClosing()
      lookSignal.wake()
      senderStarted.wake()
      await Promise.all(loops)
      await ownership.close()
    },
  }
}
