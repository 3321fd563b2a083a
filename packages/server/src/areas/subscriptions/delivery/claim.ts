import { type Expression, sql } from 'kysely'
import type { Reader, Storage } from '../../../platform/storage/index.ts'
import type { Subscription } from '../store.ts'
import { numberBlock, type Progress } from './ledger.ts'
import { lifeTime } from './life.ts'

/** A subscription with how far it has got. */
export type Owned = Subscription & Progress

/**
 * Takes subscriptions that nobody alive sends for, up to this process's fair share. Conditional on the epoch that was
 * read: of two that try, one gets it. Returns how many it has tried to take; below 0, how many it has too many.
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
          epoch: epoch + 1,
          next_distribution: eb('next_distribution', '+', numberBlock),
        }))
        .where('subscription', '=', subscription)
        .where('epoch', '=', epoch)
        .execute()
    }
  })
  return wanted.length
}

/** Gives back what was claimed and can no longer be sent for: whoever claims it next gets numbers that nobody has used. */
export async function letGo(storage: Storage, me: string, claimed: readonly Owned[]): Promise<void> {
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

/** All of them where no other process can be. */
async function fairShare({ read, engine }: Storage): Promise<number> {
  if (engine.generation) return Number.POSITIVE_INFINITY
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

/** Nobody is heard of further ahead: then the database's clock was set back, and whoever lives says so at the next beat. */
const isAlive = (expires: Expression<number>, { dialect }: Reader) =>
  sql<boolean>`${expires} > ${dialect.now} AND ${expires} <= ${dialect.now} + ${sql.lit(lifeTime)}`

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

export const findOwned = (reader: Reader, me: string): Promise<Owned[]> =>
  reader
    .selectFrom('delivery')
    .innerJoin('subscription', 'subscription.id', 'delivery.subscription')
    .selectAll('subscription')
    .select([
      'delivery.subscription',
      'position',
      'passed',
      'next_distribution',
      'epoch',
      'total',
      'failure',
      'unreachable',
    ])
    .where('owner', '=', me)
    .orderBy('id')
    .execute()
