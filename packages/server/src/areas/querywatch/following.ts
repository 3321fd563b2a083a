import type { Actor, Storage } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import type { Tail } from '../feed/index.ts'
import { modelAt } from '../model/index.ts'
import { type QueryRow, queryOf, resultOf } from '../queries/index.ts'
import type { Business } from '../topology/index.ts'
import { anything, type Concern, concernOf } from './concern.ts'
import { differing } from './result.ts'
import { settle } from './settle.ts'
import { alterWatch, findWatches, holdWatch, isNamed, removeSome, type Watch } from './store.ts'

/** Records taken into account at once. */
const recordsAtOnce = 500
/** Hosts settled in one change: others get their turn in between. */
const hostsAtOnce = 500
/** Records without effect after which a position is saved all the same, so that a start need not read them all again. */
const savedEvery = 1_000
/** How soon is looked again, in milliseconds, while nothing is followed, another process is at it, or something has failed. */
const again = 500

export interface FollowingParts {
  readonly storage: Storage
  readonly tail: Tail
  readonly zone: Zone
  /** In whose name is told who entered and left. */
  actor(account: string): Actor
}

export interface Following {
  stop(): Promise<void>
}

/**
 * Runs in every process. No lease is needed: readers find out who seems to have entered or left, and whoever settles it
 * holds the watch, judges anew and moves its position, all in one change. The others find the position moved.
 */
export function followQueries({ storage, tail, zone, actor }: FollowingParts): Following {
  const { background } = storage
  const stopping = new AbortController()
  const { signal } = stopping
  /** How far this process has looked without finding anything to save. */
  const lookedTo = new Map<string, number>()

  /** Whether everything there is has been taken into account, and more of it concerns anybody. */
  async function look(): Promise<boolean> {
    const watches = await findWatches(storage.read)
    const known = new Set(watches.map((watch) => watch.query))
    for (const query of lookedTo.keys()) if (!known.has(query)) lookedTo.delete(query)
    let isDone = watches.length > 0
    for (const watch of watches) {
      if (signal.aborted) break
      try {
        isDone = (watch.ended ? await remove(watch) : await catchUp(watch)) && isDone
      } catch (error) {
        // One that cannot be followed does not keep the others waiting.
        background.failed(`following custom query ${watch.query}`, error)
        isDone = false
      }
    }
    return isDone
  }

  /** False when another process is at it. */
  async function catchUp(from: Watch): Promise<boolean> {
    for (let watch = from; !signal.aborted; ) {
      const after = Math.max(watch.position, lookedTo.get(watch.query) ?? 0)
      const records = await tail.read(undefined, after, recordsAtOnce)
      const through = records.at(-1)?.position
      if (!through) return true
      // What retention has removed may have said anything.
      const isLost = (records[0]?.position ?? 0) > after + 1
      const moved = await advance(watch, isLost ? anything : concernOf(records, watch), through)
      if (!moved) return false
      watch = moved
      lookedTo.set(watch.query, through)
      if (watch.ended) return remove(watch)
    }
    return true
  }

  /** The watch as it is behind a stretch of the log; undefined when another process has moved it. */
  async function advance(watch: Watch, { hosts, subscriptions }: Concern, through: number): Promise<Watch | undefined> {
    if (subscriptions && !(await isNamed(storage.read, watch))) return end(watch)
    const query = await queryOf(storage.read, watch.account, watch.query)
    const changed = hosts.length === 0 ? [] : await changedHosts(watch, query, hosts)
    const name = query?.name ?? watch.name
    if (changed.length === 0 && name === watch.name && through - watch.position < savedEvery) return watch
    for (let first = 0; first === 0 || first < changed.length; first += hostsAtOnce) {
      const some = changed.slice(first, first + hostsAtOnce)
      const isLast = first + hostsAtOnce >= changed.length
      const position = isLast ? through : watch.position
      if (!(await settleSome(watch, some, { name, position }))) return undefined
    }
    return { ...watch, name, position: through }
  }

  async function changedHosts(watch: Watch, query: QueryRow | undefined, hosts: Concern['hosts']): Promise<number[]> {
    const model = ({ modelVersion }: Business) => modelAt(storage.read, watch.account, modelVersion)
    const result = query && (await resultOf(storage, query, zone, model))
    return differing(storage, watch.query, result, hosts)
  }

  /** Who has entered or left, and how far that is taken into account, are saved together or not at all. */
  const settleSome = (watch: Watch, hosts: readonly number[], next: Pick<Watch, 'name' | 'position'>) =>
    storage.change(
      actor(watch.account),
      async (tx) => {
        const held = await holdWatch(tx, watch.query)
        if (!held || held.ended || held.position !== watch.position) return false
        const query = hosts.length > 0 ? await queryOf(tx, watch.account, watch.query) : undefined
        if (hosts.length > 0) await settle(tx, held, query, hosts, zone)
        await alterWatch(tx, watch.query, next)
        return true
      },
      { bulk: true },
    )

  /** Whoever names it meanwhile waits for this change, and begins it anew. */
  const end = (watch: Watch): Promise<Watch | undefined> =>
    storage.change(actor(watch.account), async (tx) => {
      const held = await holdWatch(tx, watch.query)
      if (!held || (await isNamed(tx, watch))) return undefined
      await alterWatch(tx, watch.query, { ended: 1 })
      return { ...held, ended: 1 }
    })

  async function remove({ account, query }: Watch): Promise<boolean> {
    while (!signal.aborted && (await storage.change(actor(account), (tx) => removeSome(tx, query), { bulk: true })));
    return true
  }

  let head = 0
  /** Until something needs a pause first. */
  async function followAll(): Promise<void> {
    while (!signal.aborted && (await look())) head = await tail.changed(head, signal)
  }

  const running = background.repeat('looking after followed queries', again, signal, followAll)
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
