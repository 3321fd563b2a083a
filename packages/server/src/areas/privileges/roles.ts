import { problem, type RolePrivilege, rolePrivileges, rule } from '@mainline/contract'
import type { Reader, Tx } from '../../platform/storage/index.ts'

/** An attribute that holds user names. Bindings are kept for any object, and count on businesses. */
export interface Role {
  readonly bk_obj_id: string
  readonly bk_property_id: string
}

const selectBinding = (reader: Reader, account: string, { bk_obj_id, bk_property_id }: Role) =>
  reader
    .selectFrom('role_binding')
    .select('privileges')
    .where('account', '=', account)
    .where('object_id', '=', bk_obj_id)
    .where('attribute_id', '=', bk_property_id)

export async function boundTo(reader: Reader, account: string, role: Role): Promise<RolePrivilege[]> {
  const found = await selectBinding(reader, account, role).executeTakeFirst()
  return found ? JSON.parse(found.privileges) : []
}

export async function bindRole(tx: Tx, role: Role, sent: readonly string[]): Promise<void> {
  const { account } = tx.actor
  const { bk_obj_id: object_id, bk_property_id: attribute_id } = role
  const bound = [...new Set(sent)]
  for (const [index, each] of bound.entries()) {
    if (!(rolePrivileges as readonly string[]).includes(each)) {
      const values = rolePrivileges.join(', ')
      throw problem('unknown', { field: `[${index}]`, rule: rule('noneOf', { value: each.slice(0, 100), values }) })
    }
  }
  // Changes that were judged by the old binding are committed before.
  tx.demandExclusive()
  // A row to hold, whether or not there was one: of two that bind at once, the second starts from what the first has bound.
  await tx
    .insertInto('role_binding')
    .values({ account, object_id, attribute_id, privileges: '[]' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { privileges } = await selectBinding(tx, account, role)
    .$if(tx.dialect.locksRows, (query) => query.forUpdate())
    .executeTakeFirstOrThrow()
  const before = JSON.parse(privileges) as RolePrivilege[]
  if (JSON.stringify(bound) === JSON.stringify(before)) return

  await tx
    .updateTable('role_binding')
    .set({ privileges: JSON.stringify(bound) })
    .where('account', '=', account)
    .where('object_id', '=', object_id)
    .where('attribute_id', '=', attribute_id)
    .execute()
  tx.record({
    operation: 'update',
    object: 'privilege',
    instance: 0,
    business: 0,
    description: 'bind role privilege',
    before: { ...role, privileges: before },
    after: { ...role, privileges: bound },
    events: [],
  })
}

/** Maintainers have their rights by a binding like any other, which every account starts with. */
export async function bindMaintainers(tx: Tx): Promise<void> {
  await tx
    .insertInto('role_binding')
    .values({
      account: tx.actor.account,
      object_id: 'biz',
      attribute_id: 'bk_biz_maintainer',
      privileges: JSON.stringify(rolePrivileges),
    })
    .execute()
}
