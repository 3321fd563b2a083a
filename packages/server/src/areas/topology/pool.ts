import type { Reader } from '../../platform/storage/index.ts'
import { builtIn } from './built-in.ts'

export interface Pool {
  readonly node: number
  readonly bizId: number
}

/** The account's resource pool. It comes with the account and stays as long, so having found it once is enough. */
export async function findPool(reader: Reader, account: string): Promise<Pool> {
  const key = `pool of ${account}`
  const known = reader.cache.get<Pool>(key, 'for ever')
  if (known) return known
  const { id, inst_id } = await reader
    .selectFrom('node')
    .select(['id', 'inst_id'])
    .where('account', '=', account)
    .where('object_id', '=', 'biz')
    .where('built_in', '=', builtIn.pool)
    .executeTakeFirstOrThrow()
  const pool = { node: id, bizId: inst_id }
  reader.cache.set(key, 'for ever', pool)
  return pool
}
