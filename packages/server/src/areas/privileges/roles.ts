import { problem, type RolePrivilege, rolePrivileges, rule } from '@mainline/contract'
import { readOwnJson } from '../../common/own-json.ts'
import type { Reader, Tx } from '../../storage/index.ts'

/** An attribute that holds user names. Bindings can be stored for any object, but take effect on businesses only. */
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
    if (!rolePrivileges.some((known) => known === each)) {
      const values = rolePrivileges.join(', ')
      throw problem('unknown', { field: `[${index}]`, rule: rule('noneOf', { value: each.slice(0, 100), values }) })
    }
  }
  // Changes that were judged by the old binding must be committed first.
  tx.demandExclusive()
  // Ensures a row to lock, so that of two concurrent bindings the second starts from the result of the first.
  await tx
    .insertInto('role_binding')
    .values({ account, object_id, attribute_id, privileges: '[]' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { privileges } = await selectBinding(tx, account, role)
    .$if(tx.dialect.locksRows, (query) => query.forUpdate())
    .executeTakeFirstOrThrow()
  const before = readOwnJson<RolePrivilege[]>(privileges)
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
    revision: 0,
    before: { ...role, privileges: before },
    after: { ...role, privileges: bound },
    events: [],
  })
}

/** The default binding of every new account: maintainers have all privileges in their business. */
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
