// The requests that would undo a change by hand: each is judged, as if it had been sent.
import {
  administrator,
  byGroup,
  inBusiness,
  inBusinessOfBody,
  ofBusiness,
  ofHosts,
  ofInstances,
  ofNewAssociation,
  placingHosts,
} from '@mainline/contract'
import type { JudgedRequest } from '../../privileges/index.ts'
import { type Columns, integer, nodeOfKey, type RowChange, text } from '../recorded/index.ts'
import { isLevelChange } from './levels.ts'
import { type NetChanges, placeIn } from './net.ts'
import { differences, type UndoableRecord } from './plan.ts'

type InverseRequest = Pick<JudgedRequest, 'allow' | 'params' | 'body'>

interface Scope {
  readonly pool: number
  /** Businesses and hosts that the same undo creates or deletes: that is judged, and covers what is in them. */
  readonly whole: ReadonlySet<string>
}

export function requestsToUndo(records: readonly UndoableRecord[], pool: number): InverseRequest[] {
  const changes = records.flatMap((each) => each.changes)
  const whole = new Set(
    changes.filter((change) => !change.before || !change.after).map(({ kind, key }) => `${kind} ${key}`),
  )
  const levels = new Set(changes.flatMap((change) => (isLevelChange(change) ? [change.key] : [])))
  // Inserting and removing a level is judged as a change of the model, whatever it moves.
  const isJudged = (change: RowChange) => !(change.kind === 'node' && levels.size > 0 && isOfLevel(change, levels))
  const asked = changes.filter(isJudged).flatMap((change) => requestsFor(change, { pool, whole }))
  // Whether such a record exists, and whom it names, is for administrators.
  const others = records.some(({ changes: own }) => own.length === 0)
  if (others) asked.push({ allow: administrator, params: {}, body: {} })
  const edited = new Set(changes.filter((change) => isEdit(change, whole)).map(({ key }) => Number(key)))
  const edits =
    edited.size === 0 ? [] : [{ allow: ofHosts('hostupdate'), params: {}, body: { bk_host_id: [...edited] } }]
  return [...new Map([...asked, ...edits].map((each) => [JSON.stringify(each), each])).values()]
}

const isOfLevel = ({ key, before, after }: RowChange, levels: ReadonlySet<string>) =>
  levels.has(nodeOfKey(key).object) ||
  (before !== null && after !== null && differences(before, after).every(({ field }) => field === 'parent_id'))

/** A move gives a host no more than another revision. */
const isEdit = ({ kind, key, before, after }: RowChange, whole: ReadonlySet<string>) =>
  kind === 'host' && before !== null && after !== null && 'inner_ip' in before && !whole.has(`host ${key}`)

function requestsFor(change: RowChange, scope: Scope): InverseRequest[] {
  const row = change.before ?? change.after
  if (!row) return []
  switch (change.kind) {
    case 'node':
      return requestsForNode(change, row, scope)
    case 'host':
      return change.before === null ? [{ allow: byGroup('resource'), params: {}, body: {} }] : []
    case 'placement':
      return requestsForPlacement(change, scope)
    case 'custom_query':
      return [{ allow: inBusiness('customapi'), params: { bk_biz_id: integer(row, 'biz_id') }, body: {} }]
    case 'instance_association': {
      const body = { bk_obj_asst_id: text(row, 'association_id'), bk_inst_id: integer(row, 'source_id') }
      return [{ allow: ofNewAssociation, params: {}, body }]
    }
    case 'user_group':
    case 'role_binding':
      return [{ allow: administrator, params: {}, body: {} }]
    case 'attribute':
      // Values that were left under its name would count as roles of the business.
      return [
        { allow: row.object_id === 'biz' && row.type === 'objuser' ? administrator : byGroup('model'), ...nothing },
      ]
    default:
      return [{ allow: byGroup('model'), ...nothing }]
  }
}

const nothing = { params: {}, body: {} }

const moving = (business: number): InverseRequest => ({
  allow: inBusinessOfBody('hosttrans'),
  params: {},
  body: { bk_biz_id: business },
})

/** Hosts that are taken from a business that no record names: they were moved there since, and force overwrites that. */
export function requestsToTake(
  records: readonly UndoableRecord[],
  { places }: Pick<NetChanges, 'places'>,
  pool: number,
): InverseRequest[] {
  const named = new Set(
    records.flatMap(({ changes }) =>
      changes.flatMap(({ kind, key, after }) =>
        kind === 'placement' && after ? [`${key} ${placeIn(after).bizId}`] : [],
      ),
    ),
  )
  const left = places.flatMap(({ key, now }) => (now && !named.has(`${key} ${now.bizId}`) ? [now.bizId] : []))
  return [...new Set(left)].map((business) =>
    business === pool ? { allow: byGroup('resource'), ...nothing } : moving(business),
  )
}

function requestsForNode({ key, before, after, within }: RowChange, row: Columns, { whole }: Scope): InverseRequest[] {
  const { object, id } = nodeOfKey(key)
  if (object === 'biz') {
    if (!before || !after || before.status !== after.status) return [{ allow: administrator, params: {}, body: {} }]
    const fields = within
      ? Object.keys(row)
      : differences(before, after).map(({ field }) => field.replace(/^attributes\./, ''))
    return [
      { allow: ofBusiness, params: { bk_biz_id: id }, body: Object.fromEntries(fields.map((name) => [name, ''])) },
    ]
  }
  const business = integer(row, 'biz_id')
  if (business !== 0) {
    if (whole.has(`node biz ${business}`)) return []
    return [{ allow: inBusiness('topoupdate'), params: { bk_biz_id: business }, body: {} }]
  }
  const action = !before ? 'delete' : after ? 'update' : 'create'
  return [{ allow: ofInstances(action), params: { bk_obj_id: object }, body: {} }]
}

function requestsForPlacement({ key, before, after }: RowChange, { pool, whole }: Scope): InverseRequest[] {
  const [to, from] = [before && placeIn(before).bizId, after && placeIn(after).bizId]
  // Removing a host that was added is judged as its deletion.
  if (to === null) return []
  if (from === null || whole.has(`host ${key}`)) return [{ allow: placingHosts, params: {}, body: { bk_biz_id: to } }]
  if (to === from) return [moving(to)]
  if (from === pool) return [{ allow: byGroup('resource'), params: {}, body: {} }]
  return to === pool ? [moving(from)] : [moving(from), moving(to)]
}
