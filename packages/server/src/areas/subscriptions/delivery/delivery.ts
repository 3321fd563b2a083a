import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Registry } from 'prom-client'
import type { Outbound } from '../../../platform/outbound/index.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import type { Zone } from '../../../platform/time.ts'
import type { Identities, Tail } from '../../feed/index.ts'
import { Bell } from './bell.ts'
import { openBooks } from './books.ts'
import { claim, findOwned, letGo, type Owned } from './claim.ts'
import type { Ledger } from './ledger.ts'
import { Life } from './life.ts'
import { measure } from './metrics.ts'
import { pusherOf } from './push.ts'
import { Sender, type SenderParts } from './sender.ts'
import { sharing } from './shared.ts'

/** How often a process shows that it is alive, and looks at what others have changed, in milliseconds. */
const lookPause = 500
/** What is under way when the process stops may still be answered, in milliseconds. */
const grace = 1_000

export interface DeliveryParts {
  readonly storage: Storage
  readonly tail: Tail
  readonly outbound: Outbound
  readonly zone: Zone
  readonly schedule: readonly number[]
  readonly registry: Registry
  readonly identities?: Identities
}

export interface Delivery {
  /** Looks at what has changed now and not only when it is time. Resolves when senders know. */
  look(): Promise<void>
  /** Lets go of everything at once, so that another process can go on. */
  stop(): Promise<void>
}

/** Sends events to subscriptions: any number of processes, each subscription by one of them at a time. */
export function startDelivery({ storage, tail, outbound, zone, schedule, registry, ...rest }: DeliveryParts): Delivery {
  const { background } = storage
  const senders = new Map<number, Sender>()
  /** The epochs that have had their sender: the numbers reserved with a claim are for one. */
  const begun = new Map<number, number>()
  const stopping = new AbortController()
  const bell = new Bell()
  const hired = new Bell()
  const read = sharing(tail)
  const metrics = measure(registry, tail, () => senders.values())
  const books = openBooks(storage, {
    onLost: (ledger) => drop(ledger),
  })
  let life = new Life(storage)
  let head = 0
  /** Senders ask all at once when the log has grown: one look answers them all. */
  let askingFloor: Promise<number> | undefined
  function floor(): Promise<number> {
    askingFloor ??= nextTurn().then(() => {
      askingFloor = undefined
      return tail.floor()
    })
    return askingFloor
  }

  const parts = (): SenderParts => ({
    storage,
    read,
    head: () => head,
    floor,
    books,
    life,
    schedule,
    identities: rest.identities,
    pusherFor: (subscription) => pusherOf(subscription, outbound, zone),
    onPushed: metrics.pushed,
  })

  function drop(ledger: Ledger): void {
    const sender = senders.get(ledger.id)
    if (sender?.ledger !== ledger) return
    senders.delete(ledger.id)
    metrics.forget(ledger.id)
    sender.stop()
  }

  /** A life that is over takes its senders with it. What it owned is free for others, and for our next life. */
  async function renewLife(): Promise<void> {
    if (life.isAlive()) return
    for (const sender of [...senders.values()]) drop(sender.ledger)
    const over = life
    life = new Life(storage)
    await over.leave()
  }

  /** Returns what has lost its sender, say because it could not be closed: it has to be claimed anew. */
  function follow(owned: readonly Owned[]): Owned[] {
    if (!life.isAlive() || stopping.signal.aborted) return []
    const mine = new Map(owned.map((each) => [each.id, each]))
    for (const sender of [...senders.values()]) {
      const row = mine.get(sender.ledger.id)
      if (row?.epoch !== sender.ledger.epoch) drop(sender.ledger)
      else if (row.version !== sender.version) sender.refresh(row)
    }
    for (const id of begun.keys()) if (!mine.has(id)) begun.delete(id)
    const orphans: Owned[] = []
    for (const row of owned) {
      if (senders.has(row.id)) continue
      if (begun.get(row.id) === row.epoch) {
        orphans.push(row)
        continue
      }
      begun.set(row.id, row.epoch)
      senders.set(row.id, new Sender(parts(), row))
    }
    if (senders.size > 0) hired.ring()
    return orphans
  }

  /** The newest go: they have most likely the least to remember. */
  async function release(count: number): Promise<void> {
    const surplus = [...senders.values()].sort((a, b) => b.ledger.id - a.ledger.id).slice(0, count)
    for (const { ledger } of surplus) {
      senders.delete(ledger.id)
      metrics.forget(ledger.id)
    }
    await Promise.all(surplus.map((sender) => sender.stop(grace)))
    await books.close(surplus.map((sender) => sender.ledger))
  }

  async function lookOnce(): Promise<void> {
    await renewLife()
    await life.beat()
    if (!life.isAlive()) return
    const owned = await findOwned(storage.read, life.id)
    const orphans = follow(owned)
    await letGo(storage, life.id, orphans)
    const claimed = await claim(storage, life.id, owned.length - orphans.length)
    if (claimed > 0) follow(await findOwned(storage.read, life.id))
    else if (claimed < 0) await release(-claimed)
  }

  /** One look at a time; whoever asks during one gets the next. */
  let looking: Promise<void> = Promise.resolve()
  let queued: Promise<void> | undefined
  function look(): Promise<void> {
    queued ??= looking.then(() => {
      queued = undefined
      looking = lookOnce().catch((error) => background.failed('looking after subscriptions', error))
      return looking
    })
    return queued
  }

  const loops = [
    (async () => {
      while (!stopping.signal.aborted) {
        await background.available(stopping.signal)
        await look()
        await bell.wait(lookPause)
      }
    })(),
    (async () => {
      while (!stopping.signal.aborted) {
        // Whoever has nothing to send need not know that there is something new.
        if (senders.size === 0) await hired.wait(lookPause)
        else head = await tail.changed(head, stopping.signal)
        for (const sender of senders.values()) sender.ring()
      }
    })(),
  ]

  return {
    look: () => (stopping.signal.aborted ? Promise.resolve() : look()),
    async stop() {
      stopping.abort()
      bell.ring()
      hired.ring()
      await Promise.all(loops)
      await Promise.all([...senders.values()].map((sender) => sender.stop(grace)))
      try {
        await books.close([...senders.values()].map((sender) => sender.ledger))
        await life.leave()
      } catch (error) {
        background.failed('letting go of subscriptions', error)
      }
    },
  }
}
