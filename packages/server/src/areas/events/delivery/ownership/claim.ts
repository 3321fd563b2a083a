import { type Expression, sql } from 'kysely'
import { newStamp } from '../../../../common/unique-id.ts'
import type { Reader, Storage } from '../../../../storage/index.ts'
import { numberBlock, type ProgressRow } from '../progress.ts'
import type { Subscription } from '../subscription.ts'
import { leaseMs } from './sender-lease.ts'

/** A subscription with its progress. */
export type Owned = Subscription & ProgressRow

/**
 * Claims subscriptions without a live sender, up to this process's fair share. The update is conditional on the epoch that was read, so
 * one of two competing processes gets it. Returns how many it tried to claim; if negative, by how many it exceeds its share.
 */
export async function claim(storage: Storage, me: string, owned: number): Promise<number> {
  const share = await fairShare(storage)
  if (owned >= share) return share - owned
  const free = await findFree(storage.read, me)
  const wanted = free.slice(0, share - owned)
  if (wanted.length === 0) return 0
  await storage.upkeep(async (writer) => {
    for (const { subscription, epoch } of wanted) {
      await writer
        .updateTable('delivery')
        .set((eb) => ({
          owner: me,
          epoch: newStamp(),
          next_distribution: eb('next_distribution', '+', numberBlock),
        }))
        .where('subscription', '=', subscription)
        .where('epoch', '=', epoch)
        .execute()
    }
  })
  return wanted.length
}

/** Releases claims that cannot be served. The reserved distribution numbers are skipped, so that none is used twice. */
export async function releaseClaims(storage: Storage, me: string, claimed: readonly Owned[]): Promise<void> {
  if (claimed.length === 0) return
  await storage.upkeep(async (writer) => {
    for (const { id, epoch } of claimed) {
      await writer
        .updateTable('delivery')
        .set({ owner: '' })
        .where('subscription', '=', id)
        .where('epoch', '=', epoch)
        .where('owner', '=', me)
        .execute()
    }
  })
}

/** Unlimited if there can be no other process. */
async function fairShare({ read, engine }: Storage): Promise<number> {
  if (!engine.isShared) return Number.POSITIVE_INFINITY
  const { subscriptions, senders } = await read
    .selectNoFrom((eb) => [
      eb
        .selectFrom('delivery')
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .$asScalar()
        .$notNull()
        .as('subscriptions'),
      eb
        .selectFrom('sender')
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .where((inner) => isAlive(inner.ref('expires'), read))
        .$asScalar()
        .$notNull()
        .as('senders'),
    ])
    .executeTakeFirstOrThrow()
  return Math.ceil(subscriptions / Math.max(1, senders))
}

/** A lease that ends later than possible does not count: the database's clock was set back, and live senders renew soon. */
const isAlive = (expires: Expression<number>, { dialect }: Reader) =>
  sql<boolean>`${expires} > ${dialect.now} AND ${expires} <= ${dialect.now} + ${sql.lit(leaseMs)}`

const findFree = (reader: Reader, me: string) =>
  reader
    .selectFrom('delivery')
    .leftJoin('sender', (join) =>
      join.onRef('sender.id', '=', 'delivery.owner').on((eb) => isAlive(eb.ref('sender.expires'), reader)),
    )
    .select(['subscription', 'epoch'])
    .where('owner', '<>', me)
    .where('sender.id', 'is', null)
    .orderBy('subscription')
    .execute()

export const isAnySubscribed = async (reader: Reader): Promise<boolean> =>
  (await reader.selectFrom('delivery').select('subscription').limit(1).executeTakeFirst()) !== undefined

export const findOwned = (reader: Reader, me: string): Promise<Owned[]> =>
  reader
    .selectFrom('delivery')
    .innerJoin('subscription', 'subscription.id', 'delivery.subscription')
    .selectAll('subscription')
    .select([
      'delivery.subscription',
      'position',
      'passed',
      'settled_ahead',
      'next_distribution',
      'epoch',
      'total',
      'failure',
      'unreachable',
    ])
    .where('owner', '=', me)
    .orderBy('id')
    .execute()
