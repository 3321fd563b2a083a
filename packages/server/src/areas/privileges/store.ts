import { type Expression, type SqlBool, sql } from 'kysely'
import type { Actor, Reader } from '../../platform/storage/index.ts'

/** Every account starts with all privileges bound to this role; other bindings come with the privilege operations. */
const boundRole = 'bk_biz_maintainer'

const named = (reader: Reader, user: string): Expression<SqlBool> => {
  const holders = reader.dialect.jsonText(sql.ref('node.attributes'), boundRole)
  return reader.dialect.contains(sql<string>`',' || ${holders} || ','`, `,${user},`)
}

const livingBusinesses = (reader: Reader, actor: Actor) =>
  reader
    .selectFrom('business')
    .innerJoin('node', 'node.id', 'business.node')
    .select('business.biz_id')
    .where('business.account', '=', actor.account)
    .where('business.living_name', 'is not', null)
    .where(named(reader, actor.user))

export async function holdsRole(reader: Reader, actor: Actor, bizId: number): Promise<boolean> {
  if (actor.user.includes(',')) return false
  const found = await livingBusinesses(reader, actor).where('business.biz_id', '=', bizId).executeTakeFirst()
  return found !== undefined
}

export async function businessesHeldBy(reader: Reader, actor: Actor): Promise<number[]> {
  if (actor.user.includes(',')) return []
  return (await livingBusinesses(reader, actor).execute()).map((row) => row.biz_id)
}
