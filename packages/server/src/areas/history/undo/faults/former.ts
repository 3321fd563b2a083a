// What belonged to an object that was deleted since: another one with the same identifier is not its object.
import { rule } from '@mainline/contract'
import type { Tx } from '../../../../storage/index.ts'
import { contentOf, readLive } from '../../recorded/index.ts'
import { created, type Net, type NetChanges } from '../net.ts'
import { type Fault, fault, keyOf } from './existence.ts'

export async function faultsOfFormerObjects(tx: Tx, { definitions, nodes }: NetChanges): Promise<Fault[]> {
  const returning = (net: readonly Net<unknown>[]) => net.filter(({ now, target }) => !now && target)
  const parts = definitions.filter(({ kind }) => kind === 'attribute' || kind === 'attribute_group')
  if (returning([...parts, ...nodes]).length === 0) return []
  const deletions = await deletionsOfObjects(tx)
  if (deletions.length === 0) return []
  const live = await readLive(tx, tx.actor.account, 'object')
  const restored = new Map(definitions.flatMap(({ kind, key, target }) => (kind === 'object' ? [[key, target]] : [])))
  /** The object at the time is the one that the next deletion names, if there was one: its own, where they were deleted with it. */
  const isFormer = (object: string, { undoes }: Net<unknown>) => {
    const position = Math.min(...undoes)
    const then = deletions.find((each) => each.object === object && each.position >= position)
    const now = restored.get(object) ?? live.get(object)
    return then !== undefined && now !== undefined && now.id !== then.id
  }
  const gone = (object: string) => rule('objectGone', { object })
  return [
    ...parts.flatMap((each) => {
      const object = String(each.target?.object_id)
      return !each.now && each.target && isFormer(object, each) ? [fault(each.kind, each.key, gone(object))] : []
    }),
    ...nodes.flatMap((each) =>
      created([each]).flatMap((node) =>
        isFormer(node.object_id, each) ? [fault('node', keyOf(node), gone(node.object_id))] : [],
      ),
    ),
  ]
}

interface Deletion {
  readonly object: string
  readonly id: unknown
  readonly position: number
}

/** Oldest first. Few, as objects are. */
async function deletionsOfObjects(tx: Tx): Promise<Deletion[]> {
  const records = await tx
    .selectFrom('log')
    .select(['content', 'position'])
    .where('account', '=', tx.actor.account)
    .where('object_id', '=', 'model')
    .where('description', '=', 'delete object')
    .orderBy('ticket')
    .execute()
  return records.map(({ content, position }) => {
    const { pre } = contentOf({ content })
    // One without a position was committed after all that have one.
    return { object: String(pre?.bk_obj_id), id: pre?.id, position: position ?? Number.MAX_SAFE_INTEGER }
  })
}
