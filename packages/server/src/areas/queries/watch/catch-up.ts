import { Problem } from '@mainline/contract'
import { withinMatchingLimit } from '../../../common/caller.ts'
import type { Actor, Storage } from '../../../storage/index.ts'
import type { Tail } from '../../events/feed/index.ts'
import { modelAt, modelOf } from '../../model/index.ts'
import type { Business } from '../../topology/index.ts'
import { objectsBehindQuery, type QueryReading, type QueryRow, queryOf, resultOf } from '../run/index.ts'
import { anything, type Concern, concernOf, withAssociated } from './concern.ts'
import { recordChanges } from './members.ts'
import { changedMembers } from './result.ts'
import { alterWatch, holdWatch, isNamed, removeSome, type Watch } from './store.ts'

/** Log records processed per step. */
const recordsPerStep = 500
/** Hosts evaluated per change; other changes run in between. */
const hostsPerChange = 500
/** A position is saved after so many records without effect, so that a restart need not read them again. */
const recordsPerSave = 1_000
/** CPU time for patterns inside a change, while other changes wait for its locks. */
export const maxMatchingInChangeMs = 200

type Fence = ReturnType<Storage['history']['isSameLog']>

export interface FollowingParts {
  readonly storage: Storage
  readonly tail: Tail
  readonly reading: QueryReading
  /** The actor of the changes that record entering and leaving hosts. */
  actor(account: string): Actor
}

/** Brings one followed query after the other up to the end of the log. */
export class CatchUp {
  readonly #parts: FollowingParts
  readonly #signal: AbortSignal
  /** The last position this process has read without finding anything to save, by query. */
  readonly #readTo = new Map<string, number>()

  constructor(parts: FollowingParts, signal: AbortSignal) {
    this.#parts = parts
    this.#signal = signal
  }

  /** False when another process holds the watch. */
  run(watch: Watch): Promise<boolean> {
    return watch.ended ? this.#remove(watch) : this.#catchUp(watch)
  }

  /** Queries that are not followed any more. */
  keepOnly(queries: ReadonlySet<string>): void {
    for (const query of this.#readTo.keys()) if (!queries.has(query)) this.#readTo.delete(query)
  }

  /** The database has gone back: positions now name other records. */
  reset(): void {
    this.#readTo.clear()
  }

  async #catchUp(from: Watch): Promise<boolean> {
    for (let watch = from; !this.#signal.aborted; ) {
      const isSameLog = this.#parts.storage.history.isSameLog()
      const after = Math.max(watch.position, this.#readTo.get(watch.query) ?? 0)
      const records = await this.#parts.tail.read(undefined, after, recordsPerStep)
      const through = records.at(-1)?.position
      if (!through) return true
      // Records removed by retention may have changed anything.
      const isLost = (records[0]?.position ?? 0) > after + 1
      const moved = await this.#advance(watch, isLost ? anything : concernOf(records, watch), through, isSameLog)
      if (!moved) return false
      watch = moved
      this.#readTo.set(watch.query, through)
      if (watch.ended) return this.#remove(watch)
    }
    return true
  }

  /** The watch after a range of the log; undefined when another process has advanced it. */
  async #advance(watch: Watch, concern: Concern, through: number, isSameLog: Fence): Promise<Watch | undefined> {
    if (concern.subscriptions && !(await isNamed(this.#parts.storage.read, watch))) return this.#end(watch)
    const query = await queryOf(this.#parts.storage.read, watch.account, watch.query)
    const hosts = await this.#hostsOf(watch, query, concern)
    const changed = hosts.length === 0 ? [] : await this.#changedHosts(watch, query, hosts)
    const name = query?.name ?? watch.name
    if (changed.length === 0 && name === watch.name && through - watch.position < recordsPerSave) return watch
    let count = hostsPerChange
    for (let first = 0; first === 0 || first < changed.length; ) {
      const isLast = first + count >= changed.length
      const position = isLast ? through : watch.position
      const some = changed.slice(first, first + count)
      try {
        if (!(await this.#recordSome(watch, some, { name, position }, isSameLog))) return undefined
        first += count
      } catch (error) {
        // Evaluating the patterns takes too long for so many hosts in one change: try fewer.
        if (!(error instanceof Problem && error.kind === 'invalid') || count === 1) throw error
        count = Math.ceil(count / 4)
      }
    }
    return { ...watch, name, position: through }
  }

  /** Including hosts that associated instances have brought into question. */
  async #hostsOf(watch: Watch, query: QueryRow | undefined, concern: Concern): Promise<Concern['hosts']> {
    const { hosts, elsewhere } = concern
    if (!query || hosts === 'all' || elsewhere.objects.size + elsewhere.hosts.length === 0) return hosts
    const { storage, reading } = this.#parts
    const behind = await objectsBehindQuery(storage.read, query, await modelOf(storage.read, watch.account), reading)
    return withAssociated(concern, behind)
  }

  async #changedHosts(watch: Watch, query: QueryRow | undefined, hosts: Concern['hosts']): Promise<number[]> {
    const model = ({ modelVersion }: Business) => modelAt(this.#parts.storage.read, watch.account, modelVersion)
    const result = query && (await resultOf(this.#parts.storage, query, this.#parts.reading, model))
    return changedMembers(this.#parts.storage, watch.query, result, hosts)
  }

  /** Saves entering and leaving hosts and the new position in one change. */
  #recordSome(
    watch: Watch,
    hosts: readonly number[],
    next: Pick<Watch, 'name' | 'position'>,
    isSameLog: Fence,
  ): Promise<boolean> {
    return this.#parts.storage.change(
      this.#parts.actor(watch.account),
      async (tx) => {
        const held = await holdWatch(tx, watch.query)
        if (!held || held.ended || held.position !== watch.position || !(await isSameLog(tx))) return false
        const query = hosts.length > 0 ? await queryOf(tx, watch.account, watch.query) : undefined
        if (hosts.length > 0) {
          await withinMatchingLimit(maxMatchingInChangeMs, () =>
            recordChanges(tx, held, query, hosts, this.#parts.reading),
          )
        }
        await alterWatch(tx, watch.query, next)
        return true
      },
      { bulk: true },
    )
  }

  /** A change that subscribes to the query concurrently waits for this change, and then starts a new watch. */
  #end(watch: Watch): Promise<Watch | undefined> {
    return this.#parts.storage.change(this.#parts.actor(watch.account), async (tx) => {
      const held = await holdWatch(tx, watch.query)
      if (!held || (await isNamed(tx, watch))) return undefined
      await alterWatch(tx, watch.query, { ended: 1 })
      return { ...held, ended: 1 }
    })
  }

  async #remove({ account, query }: Watch): Promise<boolean> {
    while (
      !this.#signal.aborted &&
      (await this.#parts.storage.change(this.#parts.actor(account), (tx) => removeSome(tx, query), { bulk: true }))
    );
    return true
  }
}
