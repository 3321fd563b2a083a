import { prepared, type Reader } from '../../../storage/index.ts'
import { builtIn } from '../nodes/built-in.ts'

export interface Pool {
  readonly node: number
  readonly bizId: number
}

/** Created with its account, so it has the lowest id: the first row of the index. */
const pools = prepared((reader, { account }: { account: string }) =>
  reader
    .selectFrom('business')
    .innerJoin('node', 'node.id', 'business.node')
    .select(['business.node', 'business.biz_id'])
    .where('business.account', '=', account)
    .where('node.built_in', '=', builtIn.pool)
    .orderBy('business.biz_id')
    .limit(1),
)

/** The account's resource pool. */
export async function findPool(reader: Reader, account: string): Promise<Pool> {
  const [found] = await pools(reader, { account })
  if (!found) throw new Error(`account ${account} has no resource pool`)
  return { node: found.node, bizId: found.biz_id }
}
