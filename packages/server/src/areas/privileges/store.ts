import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import type { Actor, Reader } from '../../platform/storage/index.ts'
import { modelOf, objectOf } from '../model/index.ts'

/** Every account starts with all privileges bound to this role; other bindings come with the privilege operations. */
const boundRole = 'bk_biz_maintainer'

/** Whether one of the roles of the business names the user. */
const named = (reader: Reader, roles: readonly string[], user: string): Expression<SqlBool> => {
  const holders = (role: string) => reader.dialect.jsonText(sql.ref('node.attributes'), role)
  const names = roles.map((role) => reader.dialect.contains(sql<string>`',' || ${holders(role)} || ','`, `,${user},`))
  return expressionBuilder<Record<string, never>, never>().or(names)
}

const livingBusinesses = (reader: Reader, actor: Actor, roles: readonly string[]) =>
  reader
    .selectFrom('business')
    .innerJoin('node', 'node.id', 'business.node')
    .select('business.biz_id')
    .where('business.account', '=', actor.account)
    .where('business.living_name', 'is not', null)
    .where(named(reader, roles, actor.user))

export async function holdsRole(reader: Reader, actor: Actor, bizId: number): Promise<boolean> {
  if (actor.user.includes(',')) return false
  const found = await livingBusinesses(reader, actor, [boundRole])
    .where('business.biz_id', '=', bizId)
    .executeTakeFirst()
  return found !== undefined
}

/** The businesses where the caller has any role, whatever is bound to it. */
export async function businessesHeldBy(reader: Reader, actor: Actor): Promise<number[]> {
  if (actor.user.includes(',')) return []
  const { attributes } = objectOf(await modelOf(reader, actor.account), 'biz')
  const roles = attributes.filter((attribute) => attribute.type === 'objuser').map((attribute) => attribute.id)
  return (await livingBusinesses(reader, actor, roles).execute()).map((row) => row.biz_id)
}
