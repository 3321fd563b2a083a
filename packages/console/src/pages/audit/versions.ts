import { type DataOf, history } from '@mainline/contract'
import { ask } from '../../api/ask.ts'
import type { AuditRecord } from './diff.ts'

type Version = DataOf<typeof history.getInstanceHistory>['info'][number]
type ModuleOfHost = NonNullable<Version['moved']>['left'][number]

export interface Instance {
  readonly bk_obj_id: string
  readonly bk_inst_id: number
}

/** The versions of an instance, newest first; with `below` also those of everything that was below it at the time. */
export const versionsOf = (params: Instance, below: boolean, start: number, limit: number) => ({
  ...ask(history.getInstanceHistory, { params: { ...params }, query: { below, start, limit } }),
  staleTime: 0,
  placeholderData: <Data>(before: Data | undefined) => before,
  select: (found: DataOf<typeof history.getInstanceHistory>) => ({
    count: found.count,
    records: found.info.map(recordOf),
  }),
})

/** The newest deletions below an instance, each change with the versions that it has removed. */
export const deletionsBelow = (params: Instance) => ({
  ...ask(history.getInstanceHistory, { params: { ...params }, query: { below: true, op_type: 3, limit: 200 } }),
  staleTime: 0,
  select: ({ info }: DataOf<typeof history.getInstanceHistory>) => [
    ...Map.groupBy(info, ({ txn_id: txn }) => txn).entries(),
  ],
})

/** The newest setter of each value of an instance, by attribute. */
export const settersOf = (params: Instance) => ({
  ...ask(history.getBlame, { params: { ...params } }),
  staleTime: 0,
  select: (found: DataOf<typeof history.getBlame>) => new Map(found.map((each) => [each.bk_property_id, each])),
})

const targets = ['biz', 'set', 'module', 'host']
/** How the audit log names the kind of an instance. */
export const targetOf = (object: string): string => (targets.includes(object) ? object : 'object')

/** A version in the form of a record of the audit log, with the changed fields alone. */
export function recordOf(version: Version): AuditRecord {
  const { bk_obj_id: object, bk_inst_id: id, op_type, changes, moved, data } = version
  const sides = { before: new Map<string, unknown>(), after: new Map<string, unknown>() }
  for (const change of changes) {
    sides.before.set(change.bk_property_id, change.before)
    sides.after.set(change.bk_property_id, change.after)
  }
  if (moved) {
    sides.before.set('placement', linesOf(moved.left))
    sides.after.set('placement', linesOf(moved.entered))
  }
  const isCreated = op_type === 1
  return {
    ...version,
    inst_id: id,
    op_target: targetOf(object),
    ext_key: version.name,
    name: version.name,
    content: {
      pre_data: isCreated ? null : Object.fromEntries(sides.before),
      cur_data: isCreated ? { ...data } : op_type === 3 ? null : Object.fromEntries(sides.after),
      header: changes.map(({ bk_property_id, bk_property_name }) => ({ bk_property_id, bk_property_name })),
    },
  }
}

/** A line for each module that a host was in. */
export const linesOf = (modules: readonly ModuleOfHost[]): string =>
  modules.map((each) => [each.bk_biz_name, each.bk_set_name, each.bk_module_name].join(' / ')).join('\n')
