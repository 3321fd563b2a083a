import { associations, problem, rule } from '@mainline/contract'
import type { Zone } from '../../common/time.ts'
import { type Caller, handle, type Route } from '../../http/route.ts'
import type { Storage } from '../../storage/index.ts'
import { visibleTo } from '../associations/index.ts'
import type { Showing } from '../model/index.ts'
import type { HiddenObjects } from '../privileges/index.ts'
import { impactOf } from './impact.ts'
import { neighbourhoodOf } from './neighbourhood.ts'

export function impactRoutes(storage: Storage, zone: Zone, hidden: HiddenObjects): Route[] {
  const { heavy } = storage
  const showing = (actor: Caller): Showing => ({ language: actor.language, zone })
  /** As in searches of associations, instances that the caller may not search are omitted. */
  const expectVisible = async (actor: Caller, object: string) => {
    if ((await hidden(storage, actor, [object])).size > 0) throw problem('notFound')
  }

  return [
    handle(associations.searchInstanceTopology, async ({ actor, params: { bk_obj_id: object, bk_inst_id: id } }) => {
      await expectVisible(actor, object)
      const visible = await visibleTo(storage, actor, hidden)
      return neighbourhoodOf(heavy, actor.account, { object, id }, visible, showing(actor))
    }),
    handle(associations.getImpact, async ({ actor, params: { bk_obj_id: object, bk_inst_id: id }, query }) => {
      const { direction = 'down' } = query
      if (!isDirection(direction)) {
        const values = associations.impactDirections.join(', ')
        throw problem('invalid', { field: 'direction', rule: rule('oneOf', { values }) })
      }
      const depth = readNumber('depth', query.depth, 3, associations.deepestImpact)
      const limit = readNumber('limit', query.limit, 200, associations.mostImpact)
      await expectVisible(actor, object)
      const question = { account: actor.account, object, id, direction, depth, limit }
      return impactOf(heavy, question, await visibleTo(storage, actor, hidden), showing(actor))
    }),
  ]
}

const isDirection = (text: unknown): text is associations.ImpactDirection =>
  associations.impactDirections.some((each) => each === text)

/** A repeated parameter is an array, and therefore not a number. */
function readNumber(field: string, text: unknown, absent: number, max: number): number {
  if (text === undefined) return absent
  if (typeof text !== 'string' || !/^\d{1,9}$/.test(text)) throw problem('notInteger', { field })
  const number = Number(text)
  if (number < 1 || number > max) throw problem('invalid', { field, rule: rule('between', { min: 1, max }) })
  return number
}
