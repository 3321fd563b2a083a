// Records of saved queries, groups, role privileges and associations as stored rows.
import type { Snapshot } from '../../../storage/index.ts'
import { nothingGiven } from '../../privileges/index.ts'
import type { Shown } from './instances.ts'
import type { Columns, RowChange } from './rows.ts'
import { instant, integer, text } from './values.ts'

/** Queries that were deleted with their business are recorded by their columns. */
export function queryChange(id: string, { before, after, unshown, revision }: Shown): RowChange {
  const row = (record: Snapshot | null, rest: Snapshot | undefined, at: number): Columns | null => {
    if (!record) return null
    const own = { id, biz_id: integer(record, 'bk_biz_id'), name: text(record, 'name'), revision: at }
    return rest ? { ...own, ...rest } : { ...own, ...definitionOf(record) }
  }
  const was = row(before, unshown.before, revision - 1)
  return { kind: 'custom_query', key: id, before: was, after: row(after, unshown.after, revision) }
}

const definitionOf = (record: Snapshot) => ({
  info: text(record, 'info'),
  creator: text(record, 'create_user'),
  create_time: instant(record, 'create_time'),
  modifier: text(record, 'modify_user'),
  last_time: record.last_time === '' ? 0 : instant(record, 'last_time'),
})

/** A group begins without privileges, and its record shows them only where it is deleted. */
export function groupChange(id: number, { before, after, revision }: Shown): RowChange {
  const named = (record: Snapshot, at: number) => ({
    name: text(record, 'group_name'),
    user_list: text(record, 'user_list'),
    revision: at,
  })
  const key = String(id)
  if (before && after) {
    return { kind: 'user_group', key, before: named(before, revision - 1), after: named(after, revision) }
  }
  const whole = (record: Snapshot | null, at: number) =>
    record && { id, group_id: text(record, 'group_id'), ...named(record, at), privileges: privilegesIn(record) }
  return { kind: 'user_group', key, before: whole(before, revision - 1), after: whole(after, revision) }
}

const privilegesIn = (record: Snapshot): Columns => ({
  global_busi: record.global_busi ?? nothingGiven.global_busi,
  back_config: record.back_config ?? nothingGiven.back_config,
  model_config: record.model_config ?? nothingGiven.model_config,
})

/** Tokens and sessions are recorded as privileges, too, and are no part of the estate. */
export function privilegeChanges(
  description: string,
  instance: number,
  { before, after, revision }: Shown,
): RowChange[] {
  const [was, is] = [before ?? {}, after ?? {}]
  if (description === 'update group privilege') {
    const [old, given] = [privilegesIn(was), privilegesIn(is)]
    return [
      {
        kind: 'user_group',
        key: String(instance),
        before: { privileges: old, revision: revision - 1 },
        after: { privileges: given, revision },
      },
    ]
  }
  if (description !== 'bind role privilege') return []
  const role = { object_id: text(is, 'bk_obj_id'), attribute_id: text(is, 'bk_property_id') }
  return [
    {
      kind: 'role_binding',
      key: `${role.object_id} ${role.attribute_id}`,
      before: { ...role, privileges: was.privileges },
      after: { ...role, privileges: is.privileges },
    },
  ]
}

export function associationChange({ before, after }: Shown): RowChange {
  const row = (record: Snapshot | null) =>
    record && {
      id: integer(record, 'id'),
      association_id: text(record, 'bk_obj_asst_id'),
      source_object: text(record, 'bk_obj_id'),
      source_id: integer(record, 'bk_inst_id'),
      target_object: text(record, 'bk_asst_obj_id'),
      target_id: integer(record, 'bk_asst_inst_id'),
    }
  const key = String(integer(after ?? before ?? {}, 'id'))
  return { kind: 'instance_association', key, before: row(before), after: row(after) }
}
