// Levels of the main line that return, or go as if they had never been inserted: every instance below them moves.
import { rule } from '@mainline/contract'
import type { StoredNode } from '../../topology/index.ts'
import type { RowChange } from '../recorded/index.ts'
import { type Net, type NetChanges, updated } from './net.ts'
import { type Conflict, differences, type Outcome, type UndoableRecord } from './plan.ts'

export interface LevelChange {
  readonly id: string
  /** The object above the level. */
  readonly above: string
  /** The object below it. */
  readonly child: string
  /** False: it goes. */
  readonly returns: boolean
}

/** Whether a record inserted or removed a level. */
export const isLevelChange = ({ kind, before, after }: RowChange): boolean =>
  kind === 'object' && (before === null) !== (after === null) && typeof (after ?? before)?.above === 'string'

/** Levels that return or go; the child is '' where it does not move with them. */
export function levelsIn({ definitions }: NetChanges): LevelChange[] {
  const objects = definitions.filter(({ kind }) => kind === 'object')
  return objects.flatMap(({ key: id, now, target }): LevelChange[] => {
    const above = (target ?? now)?.above
    if ((now === undefined) === (target === undefined) || typeof above !== 'string') return []
    const returns = target !== undefined
    const child = objects.find((each) => each.now && each.target && (returns ? each.target : each.now).above === id)
    return [{ id, above, child: child?.key ?? '', returns }]
  })
}

/** The faults of an undo have made sure that there is at most one. */
export const levelIn = (net: NetChanges): LevelChange | undefined => levelsIn(net)[0]

/** Instances that get another parent. */
export const reparented = ({ nodes }: NetChanges): (Net<StoredNode> & { now: StoredNode; target: StoredNode })[] =>
  updated(nodes).filter(({ now, target }) => now.parent_id !== target.parent_id)

/** What is left to write: moves of instances, and all of a level that goes, are written with it. */
export function besideLevel(net: NetChanges, { id, child, returns }: LevelChange): NetChanges {
  const isMove = ({ now, target }: Net<StoredNode>) =>
    now !== undefined &&
    target !== undefined &&
    differences({ ...now }, { ...target, parent_id: now.parent_id }).length === 0
  const isOfLevel = (row: { readonly object_id?: unknown } | undefined) => row?.object_id === id
  return {
    ...net,
    definitions: net.definitions.filter(
      ({ kind, key, now, target }) =>
        !(kind === 'object' && key === child) && (returns || kind === 'association_kind' || !isOfLevel(now ?? target)),
    ),
    nodes: net.nodes.filter((node) => !isMove(node) && (returns || node.now?.object_id !== id)),
  }
}

/** The other records of a level that is inserted or removed, where one of them is in conflict: only all of them together can be undone. */
export function restOfLevels(
  records: readonly UndoableRecord[],
  outcomes: readonly Outcome[],
): Map<number, readonly Conflict[]> {
  const levels = new Set(records.flatMap(({ record, changes }) => (changes.some(isLevelChange) ? [record.txn_id] : [])))
  const broken = new Set(
    outcomes
      .flatMap(({ record, outcome }) => (outcome === 'conflict' ? [record.txn_id] : []))
      .filter((txn) => levels.has(txn)),
  )
  const row = { kind: 'object' as const, key: '' }
  const whole = { field: '', now: null, setTo: null, before: null, why: rule('oneLevel'), forcible: false, row }
  const rest = outcomes.filter(({ record, outcome }) => outcome === 'undone' && broken.has(record.txn_id))
  return new Map(rest.map(({ record }) => [record.position, [whole]]))
}
