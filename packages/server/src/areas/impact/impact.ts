import { type associations, type DataOf, problem } from '@mainline/contract'
import { present } from '../../common/present.ts'
import type { Reader } from '../../storage/index.ts'
import type { ObjectAssociation } from '../associations/index.ts'
import type { Showing } from '../model/index.ts'
import { type Reached, type Way, walkFrom } from './steps.ts'
import { describeThings, findThing, refKey, type Thing } from './things.ts'

type Impact = DataOf<typeof associations.getImpact>

interface ImpactQuestion {
  readonly account: string
  readonly object: string
  readonly id: number
  readonly direction: associations.ImpactDirection
  readonly depth: number
  readonly limit: number
}

/** All instances reached, nearest first. Up and down are traversed separately: a path that turned round would reach all siblings. */
export async function impactOf(
  reader: Reader,
  { account, object, id, direction, depth, limit }: ImpactQuestion,
  followed: readonly ObjectAssociation[],
  showing: Showing,
): Promise<Impact> {
  const start = await findThing(reader, account, object, id)
  if (!start) throw problem('notFound')
  const ways: readonly Way[] = direction === 'both' ? ['up', 'down'] : [direction]
  const walks = await Promise.all(
    ways.map(async (way) => {
      const walk = { reader, associations: followed, way, limit: limit + 1 }
      return { way, reached: await walkFrom(walk, start, depth) }
    }),
  )
  const found = walks
    .flatMap(({ way, reached }) => [...reached.values()].map((each) => ({ way, reached, ...each })))
    .toSorted((one, other) => one.depth - other.depth)
  const refs = [start, ...walks.flatMap(({ reached }) => [...reached.values()].map(({ step }) => step.to))]
  const things = await describeThings(reader, refs, showing)
  const first = things.get(refKey(start))
  if (!first) throw problem('notFound')
  const info = found.slice(0, limit).flatMap(({ way, reached, step, depth: deep }): Impact['info'] => {
    const path = pathTo(refKey(step.to), reached, things)
    const thing = things.get(refKey(step.to))
    if (!thing || path.length < deep) return []
    return [{ ...shown(thing), bk_biz_id: thing.business, direction: way, depth: deep, path }]
  })
  return { start: shown(first), count: info.length, truncated: found.length > limit, info }
}

const shown = ({ object, id, name }: Thing) => ({ bk_obj_id: object, bk_inst_id: id, bk_inst_name: name })

/** The path is shorter if an instance on it was deleted concurrently. */
function pathTo(
  key: string,
  reached: ReadonlyMap<string, Reached>,
  things: ReadonlyMap<string, Thing>,
): Impact['info'][number]['path'] {
  const path: Impact['info'][number]['path'] = []
  for (let at = reached.get(key); at; at = reached.get(refKey(at.step.from))) {
    const thing = things.get(refKey(at.step.to))
    if (thing) path.unshift({ ...shown(thing), through: present(at.step.through) })
  }
  return path
}
