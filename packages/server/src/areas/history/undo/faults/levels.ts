// An inserted or removed level is undone with all of its records, and only while nothing else depends on it.
import { type Rule, rule } from '@mainline/contract'
import type { Tx } from '../../../../storage/index.ts'
import { findConflicts } from '../../../topology/index.ts'
import { nodeKey } from '../../recorded/index.ts'
import { type LevelChange, levelsIn, reparented } from '../levels.ts'
import type { NetChanges } from '../net.ts'
import { type Fault, fault } from './existence.ts'

export async function faultsOfLevels(tx: Tx, net: NetChanges): Promise<Fault[]> {
  const levels = levelsIn(net)
  const [level] = levels
  const moved = net.definitions.filter(
    ({ kind, now, target }) => kind === 'object' && now && target && now.above !== target.above,
  )
  const isWhole = levels.length === 1 && level !== undefined && level.child !== '' && moved.length === 1
  if (!isWhole) {
    const why = rule('oneLevel')
    return [
      ...levels.map(({ id }) => fault('object', id, why)),
      ...moved.map(({ key }) => fault('object', key, why)),
      ...reparented(net).map(({ key }) => fault('node', key, why)),
    ]
  }
  const [child] = moved
  const lacks = (why: Rule) => [fault('object', level.id, why)]
  // The place of the level is still that between these two objects.
  if (level.returns ? child?.now?.above !== level.above : child?.target?.above !== level.above) {
    return lacks(rule('levelInUse', { what: level.child }))
  }
  const left = await unmovedChild(tx, net, level)
  if (left !== undefined) return lacks(rule('levelInUse', { what: left }))
  if (level.returns) return []
  const conflicts = await findConflicts(tx, tx.actor, level.id, level.child)
  return conflicts.flatMap((conflict) => lacks(rule('timesUnder', conflict)))
}

/** An instance of the object below the level that was made since. */
async function unmovedChild(tx: Tx, net: NetChanges, { child }: LevelChange): Promise<string | undefined> {
  const moves = new Set(reparented(net).map(({ key }) => key))
  const goes = new Set(net.nodes.flatMap(({ key, now, target }) => (now && !target ? [key] : [])))
  const children = await tx
    .selectFrom('node')
    .select('inst_id')
    .where('account', '=', tx.actor.account)
    .where('object_id', '=', child)
    .where('built_in', '=', 0)
    .execute()
  return children.map((row) => nodeKey(child, row.inst_id)).find((key) => !moves.has(key) && !goes.has(key))
}
