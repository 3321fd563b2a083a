import { type Problem, problem } from '@mainline/contract'
import {
  cached,
  isCommitted,
  prepared,
  preparedChange,
  preparedShared,
  type Reader,
  type Tx,
  waitingIn,
} from '../../platform/storage/index.ts'

/** What a request needs to know of a business before it does anything in it. */
export interface Business {
  node: number
  bizId: number
  version: number
  treeVersion: number
  modelVersion: number
}

const livingBusiness = preparedShared((reader, { account, bizId }: { account: string; bizId: number }) =>
  reader
    .selectFrom('business')
    .innerJoin('account', 'account.name', 'business.account')
    .select(['node', 'version', 'tree_version', 'model_version'])
    .where('business.account', '=', account)
    .where('biz_id', '=', bizId)
    .where('living_name', 'is not', null),
)

/** The living business, or "no relevant data". Cached until the next commit, where one process sees every commit. */
export async function findBusiness(reader: Reader, account: string, bizId: number): Promise<Business> {
  if (!isCommitted(reader)) return loadBusiness(reader, account, bizId)
  const key = `business ${bizId} of ${account}`
  return cached(reader, key, reader.generation?.(), () => loadBusiness(reader, account, bizId))
}

async function loadBusiness(reader: Reader, account: string, bizId: number): Promise<Business> {
  const [found] = await livingBusiness(reader, { account, bizId })
  if (!found) throw problem('notFound')
  return {
    node: found.node,
    bizId,
    version: found.version,
    treeVersion: found.tree_version,
    modelVersion: found.model_version,
  }
}

interface Hold {
  /** The change shows in the tree. */
  readonly tree: boolean
  /** An archived business will do, too. */
  readonly archived?: boolean
}

const holding = ({ tree, archived }: Hold) =>
  preparedChange((writer, { account, bizId }: { account: string; bizId: number }) =>
    writer
      .updateTable('business')
      .set((eb) => ({
        version: eb('version', '+', 1),
        ...(tree && { tree_version: eb('tree_version', '+', 1) }),
      }))
      .where('account', '=', account)
      .where('biz_id', '=', bizId)
      .$if(archived !== true, (query) => query.where('living_name', 'is not', null))
      .returning('node'),
  )
const holds = {
  living: holding({ tree: false }),
  livingTree: holding({ tree: true }),
  any: holding({ tree: false, archived: true }),
  anyTree: holding({ tree: true, archived: true }),
}

/**
 * Locks the business for this change and counts the change. Held before anything below it is read, so that two changes
 * in one business come one after the other.
 */
export async function holdBusiness(tx: Tx, bizId: number, { tree, archived }: Hold): Promise<number> {
  const hold = archived ? (tree ? holds.anyTree : holds.any) : tree ? holds.livingTree : holds.living
  const [held] = await tx.turns.alone(bizId, () => hold(tx, { account: tx.actor.account, bizId }))
  if (!held) throw problem('notFound')
  return held.node
}

const joining = (givesWay: boolean) =>
  prepared((reader, { account, bizId }: { account: string; bizId: number }) =>
    reader
      .selectFrom('business')
      .select(['node', 'biz_id'])
      .where('account', '=', account)
      .where('biz_id', '=', bizId)
      .where('living_name', 'is not', null)
      .$if(givesWay, (query) => query.where(({ not, exists }) => not(exists(waitingIn(reader, account, bizId)))))
      .$if(reader.dialect.locksRows, (query) => query.forShare('business')),
  )
const joins = { givingWay: joining(true), plain: joining(false) }

/**
 * Keeps the living business as it is for this change, beside others that do the same: what hosts need, of which many may
 * come and go at once. "No relevant data" becomes whatever the operation says of a business in its body.
 */
export async function joinBusiness(tx: Tx, bizId: number, unknown: () => Problem): Promise<number> {
  const givesWay = tx.turns.givesWayIn(bizId)
  const [found] = await joins[givesWay ? 'givingWay' : 'plain'](tx, { account: tx.actor.account, bizId })
  // There is no such business, or another change waits to have it alone: the next attempt can tell.
  if (!found && givesWay) tx.turns.giveWay(bizId)
  if (!found) throw unknown()
  return found.node
}

export async function bumpTree(tx: Tx, business: number): Promise<void> {
  await tx
    .updateTable('business')
    .set((eb) => ({ tree_version: eb('tree_version', '+', 1) }))
    .where('node', '=', business)
    .execute()
}
