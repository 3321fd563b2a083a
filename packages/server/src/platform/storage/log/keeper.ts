import { setTimeout as pause } from 'node:timers/promises'
import { uniqueId } from '../../unique-id.ts'
import type { Background } from '../background.ts'
import type { Engine } from '../engine.ts'
import { holdLease, type Lease, leaseTime, releaseLease } from './lease.ts'
import { number, numberedAtOnce } from './numbering.ts'
import { removeOldest } from './retention.ts'
import { type Seal, sealNext } from './seals.ts'
import { tallyNext } from './tally.ts'

/** How soon a committed record is numbered when another process committed it, in milliseconds. */
const numberingPause = 20
const upkeepPause = 1_000

export interface KeeperOptions {
  /** Records older than this many days go, segment by segment; 0 keeps all. */
  retentionDays: number
  onSeal(seal: Seal): void
  readonly background: Background
}

export interface Keeper {
  stop(): Promise<void>
}

/** Looks after the log in the background: numbers (where commits do not), seals, tallies, and removes what is past its time. */
export function keepLog(engine: Engine, options: KeeperOptions): Keeper {
  const stopping = new AbortController()
  const numbers = engine.dialect.locksRows
  const holder = uniqueId()
  let lease: Lease | undefined

  const rest = (milliseconds: number) =>
    pause(milliseconds, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
  const loop = (what: string, pauseMs: number, step: () => Promise<void>) =>
    options.background.repeat(what, pauseMs, stopping.signal, step)
  const renewing = async () => {
    lease = await holdLease(engine, holder)
  }
  const numbering = async () => {
    if (!lease) return
    let numbered = await number(engine, lease)
    while (numbered === numberedAtOnce && !stopping.signal.aborted) numbered = await number(engine, lease)
    if (numbered === undefined) lease = undefined
  }
  const upkeep = async () => {
    if (numbers && !lease) return
    const seal = async () => {
      const made = await sealNext(engine, Date.now())
      if (made) options.onSeal(made)
      return made !== undefined
    }
    while (await leavingRoom(seal));
    while (await leavingRoom(() => tallyNext(engine)));
    if (options.retentionDays === 0) return
    const before = Date.now() - options.retentionDays * 86_400_000
    while (await leavingRoom(() => removeOldest(engine, before)));
  }
  /** After a million hosts there is much to do: half of the time is left to those who wait for an answer. */
  const leavingRoom = async (step: () => Promise<boolean>): Promise<boolean> => {
    if (stopping.signal.aborted) return false
    const began = performance.now()
    const isMore = await step()
    if (isMore) await rest(performance.now() - began)
    return isMore
  }

  const loops = [
    loop('sealing the log', upkeepPause, upkeep),
    ...(numbers
      ? [
          loop('holding the numbering lease', leaseTime / 4, renewing),
          loop('numbering the log', numberingPause, numbering),
        ]
      : []),
  ]
  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
      if (lease)
        await releaseLease(engine, holder).catch((error) => options.background.failed('releasing the lease', error))
    },
  }
}
