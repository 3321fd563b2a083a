import { setTimeout as pause } from 'node:timers/promises'
import type { Background, Pace } from '../availability/background.ts'
import { forgetOldKeys } from '../change/idempotency.ts'
import type { Engine } from '../engine.ts'
import { readerOver } from '../handles.ts'
import type { SealWitness } from '../seals/seal-witness.ts'
import type { Signer } from '../seals/signer.ts'
import type { Seal } from '../seals/statement.ts'
import { witnessNext } from '../seals/witness.ts'
import { Numberer } from './numberer.ts'
import { removeOldest } from './retention.ts'
import { isSealDue, newestSeal, sealNext } from './seals.ts'
import { isTallyDue, tallyNext } from './tally.ts'

const upkeepPace = { pauseMs: 1_000, idlePauseMs: 20_000 }
/** A witness may have lost seals, so it is asked even if there is no new one. */
const witnessPace = { pauseMs: 1_000, idlePauseMs: 60_000 }
const keysPace = { pauseMs: 600_000 }

interface KeeperOptions {
  /** Records older than this are removed, segment by segment; 0 keeps all. */
  readonly retentionDays: number
  readonly seals: boolean
  readonly signer?: Signer | undefined
  readonly witness?: SealWitness | undefined
  onSeal(seal: Seal): void
  /** Records have got positions. */
  onNumbered(): void
  readonly background: Background
}

/** Failures of sealing or witnessing. Changes are not affected. */
export interface SealingTrouble {
  readonly step: 'seal' | 'witness'
  /** Failed attempts since the start of the process. */
  readonly failures: number
  /** Start of the current failures; undefined while it works. */
  readonly since: number | undefined
}

interface Keeper {
  sealing(): readonly SealingTrouble[]
  /** A change of this process was committed. */
  committed(): void
  stop(): Promise<void>
}

/** Background work on the log: numbering (if commits do not), sealing, witnessing, counting, retention. */
export function keepLog(engine: Engine, options: KeeperOptions): Keeper {
  const stopping = new AbortController()
  const { background } = options
  const numberer = engine.dialect.numbersInChange ? undefined : new Numberer(engine, background, options.onNumbered)
  const mayKeep = async () => numberer === undefined || (await numberer.mayKeep())

  const rest = (milliseconds: number) =>
    pause(milliseconds, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
  const loop = (what: string, pace: Pace, step: () => Promise<void>) =>
    background.repeat(what, pace, stopping.signal, step)
  const [sealTries, witnessTries] = [new Tries('seal'), new Tries('witness')]
  const { signer, witness, retentionDays } = options
  const seal = async () => {
    const terms = { signer, retentionDays, signal: stopping.signal }
    const made = await sealTries.count(sealNext(engine, Date.now(), false, terms))
    if (made) {
      options.onSeal(made)
      background.activity.note()
    }
    return made !== undefined
  }
  const sealing = async () => {
    if (!(await isSealDue(engine, Date.now())) || !(await mayKeep())) return sealTries.pass()
    while (await leavingRoom(seal));
  }
  const witnessing = async (to: SealWitness) => {
    if (!(await mayKeep())) return witnessTries.pass()
    while (await leavingRoom(() => witnessTries.count(witnessNext(engine, to, stopping.signal))));
  }
  const upkeep = async () => {
    if ((await isTallyDue(engine)) && (await mayKeep())) while (await leavingRoom(() => tallyNext(engine)));
    if (retentionDays === 0) return
    // Only once a seal states the retention; otherwise removal could not be distinguished from tampering. See seals/attest.ts.
    const newest = await newestSeal(readerOver(engine.reads, engine))
    if (newest?.retention_days !== retentionDays) return
    const before = Date.now() - retentionDays * 86_400_000
    while (await leavingRoom(() => removeOldest(engine, before)));
  }
  const forgetting = async () => {
    if (!(await mayKeep())) return
    while (await leavingRoom(() => forgetOldKeys(engine, Date.now())));
  }
  /** After an import of a million hosts there is much to seal: half of the time is left to requests. */
  const leavingRoom = async (step: () => Promise<boolean>): Promise<boolean> => {
    if (stopping.signal.aborted) return false
    const began = performance.now()
    const isMore = await step()
    if (isMore) await rest(performance.now() - began)
    return isMore
  }

  const loops = [
    ...(options.seals ? [loop('sealing the log', upkeepPace, sealing)] : []),
    loop('counting and removing sealed records', upkeepPace, upkeep),
    ...(witness ? [loop('witnessing seals', witnessPace, () => witnessing(witness))] : []),
    loop('removing old idempotency keys', keysPace, forgetting),
  ]
  return {
    sealing: () => [sealTries.trouble, witnessTries.trouble],
    committed: () => numberer?.wake(),
    async stop() {
      stopping.abort()
      await Promise.all(loops)
      await numberer?.stop()
    },
  }
}

/** Counts failures and the time since the last success. */
class Tries {
  readonly #step: SealingTrouble['step']
  #failures = 0
  #since: number | undefined

  constructor(step: SealingTrouble['step']) {
    this.#step = step
  }

  get trouble(): SealingTrouble {
    return { step: this.#step, failures: this.#failures, since: this.#since }
  }

  /** Another process has taken over this work. */
  pass(): void {
    this.#since = undefined
  }

  async count<T>(work: Promise<T>): Promise<T> {
    try {
      const result = await work
      this.#since = undefined
      return result
    } catch (error) {
      this.#failures++
      this.#since ??= Date.now()
      throw error
    }
  }
}
