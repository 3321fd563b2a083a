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
} from '../../../storage/index.ts'

/** What every request to a business reads first. */
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

/** The business, unless it is archived, or "no relevant data". Cached until the next commit if one process sees every commit. */
export async function findBusiness(reader: Reader, account: string, bizId: number): Promise<Business> {
  if (!isCommitted(reader)) return loadBusiness(reader, account, bizId)
  const key = `business ${bizId} of ${account}`
  return cached(reader, key, reader.generation(), () => loadBusiness(reader, account, bizId))
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
  /** Whether the change is visible in the tree. */
  readonly tree: boolean
  /** Whether archived businesses are accepted. */
  readonly archived?: boolean
}

const holding = ({ tree, archived }: Hold) =>
  preparedChange((writer, { account, bizId, stamp }: { account: string; bizId: number; stamp: number }) =>
    writer
      .updateTable('business')
      .set({ version: stamp, ...(tree && { tree_version: stamp }) })
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
 * Locks the business exclusively for this change and stores the change's stamp. Called before anything in the business is
 * read, so that changes in one business are serialised.
 */
export async function holdBusiness(tx: Tx, bizId: number, { tree, archived }: Hold): Promise<number> {
  const hold = archived ? (tree ? holds.anyTree : holds.any) : tree ? holds.livingTree : holds.living
  const [held] = await tx.turns.alone(bizId, () => hold(tx, { account: tx.actor.account, bizId, stamp: tx.stamp }))
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
 * Locks the business in shared mode, so that many changes of its hosts run concurrently. `unknown` makes the error for a
 * business that does not exist.
 */
export async function joinBusiness(tx: Tx, bizId: number, unknown: () => Problem): Promise<number> {
  const givesWay = tx.turns.givesWayIn(bizId)
  const [found] = await joins[givesWay ? 'givingWay' : 'plain'](tx, { account: tx.actor.account, bizId })
  // It does not exist, or an exclusive change is waiting for it: the retry finds out which.
  if (!found && givesWay) tx.turns.giveWay(bizId)
  if (!found) throw unknown()
  return found.node
}

export async function bumpTree(tx: Tx, business: number): Promise<void> {
  await tx.updateTable('business').set({ tree_version: tx.stamp }).where('node', '=', business).execute()
}
