// What differs between two moments: the records in between, folded by instance.
import type { history, Language } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import type { LogRecord, Reader } from '../../../storage/index.ts'
import { type Model, modelOf } from '../../model/index.ts'
import { chainOf } from '../../topology/index.ts'
import { type Entry, entriesOf } from './entries.ts'
import { fieldDifferences, fieldLabel } from './fields.ts'
import { logOf, modulesBelow } from './members.ts'
import { withNames } from './names.ts'
import { type Part, type PlacedModule, partsOf } from './parts.ts'
import { inSteps, placeAt, placementsOf } from './placements.ts'
import type { LogRange } from './range.ts'
import type { Root } from './root.ts'
import { authorOf, movedBetween } from './versions.ts'

/** An instance with the positions of its records between the moments, oldest first. */
interface Subject {
  readonly object: string
  readonly id: number
  readonly positions: readonly number[]
}

interface DiffShowing {
  readonly language: Language
  readonly zone: Zone
}

export type DiffCounts = Record<history.Difference, number>

/** Instances whose records are read together. */
const subjectsPerStep = 100

/** The rows of a diff a few at a time, from the top of the main line down. */
export async function* diffRows(
  reader: Reader,
  root: Root,
  range: LogRange,
  showing: DiffShowing,
): AsyncGenerator<history.DiffRow[]> {
  const model = await modelOf(reader, root.account)
  const entries = await entriesOf(reader, root, range, true)
  const subjects = inOrder(model, await subjectsOf(reader, root, range, entries))
  for (let first = 0; first < subjects.length; first += subjectsPerStep) {
    const part = subjects.slice(first, first + subjectsPerStep)
    yield await rowsOf(reader, root, part, { ...showing, model })
  }
}

/** Hosts with all of their records, as they may have been elsewhere in between; those that were outside at both moments are left out. */
async function subjectsOf(reader: Reader, root: Root, range: LogRange, entries: readonly Entry[]): Promise<Subject[]> {
  const groups = Map.groupBy(
    entries.filter((entry) => entry.object_id !== 'host' || root.object === 'host'),
    ({ object_id, inst_id, ext_key }) => `${object_id} ${object_id === 'userapi' ? ext_key : inst_id}`,
  )
  const others = [...groups.values()].flatMap((own): Subject[] => {
    const [entry] = own
    // The record of a business is also about its built-in sets and modules.
    const isNamed = entry?.object_id === 'biz' && entry.inst_id !== root.id
    const about = isNamed ? { object: root.object, id: root.id } : { object: entry?.object_id, id: entry?.inst_id }
    const positions = own.map(({ position }) => position).toReversed()
    return about.object === undefined ? [] : [{ object: about.object, id: about.id ?? 0, positions }]
  })
  if (root.object === 'host') return others
  const hosts = [...new Set(entries.filter((entry) => entry.object_id === 'host').map((entry) => entry.inst_id))]
  return [...others, ...(await hostSubjects(reader, root, range, hosts))]
}

async function hostSubjects(reader: Reader, root: Root, range: LogRange, hosts: readonly number[]): Promise<Subject[]> {
  if (hosts.length === 0) return []
  const { account } = root
  const modules = root.object === 'biz' ? undefined : await modulesBelow(reader, root)
  const isInside = (places: readonly PlacedModule[]) =>
    places.some((place) => (modules ? modules.has(place.bk_module_id) : place.bk_biz_id === root.business))
  const placements = await placementsOf(reader, account, hosts)
  const concerned = hosts.filter((host) => {
    const records = placements.get(host)
    const at = (position: number) => isInside(placeAt(records ?? [], position))
    return !records || at(range.after.position) || at(range.upTo.position)
  })
  const positions = new Map<number, number[]>()
  for (const part of inSteps(concerned)) {
    const records = await logOf(reader, account)
      .select(['position', 'inst_id'])
      .where('object_id', '=', 'host')
      .where((eb) => reader.dialect.among(eb.ref('inst_id'), part, 'integer'))
      .where('position', '>', range.after.position)
      .where('position', '<=', range.upTo.position)
      .orderBy('position')
      .execute()
    for (const { inst_id: host, position } of records) {
      positions.set(host, [...(positions.get(host) ?? []), position ?? 0])
    }
  }
  return [...positions].map(([id, own]) => ({ object: 'host', id, positions: own }))
}

/** From the top of the main line down, then by object and id. */
function inOrder(model: Model, subjects: readonly Subject[]): Subject[] {
  const chain = chainOf(model).map(({ id }) => id)
  const rank = ({ object }: Subject) => (chain.includes(object) ? chain.indexOf(object) : chain.length)
  return subjects.toSorted(
    (one, other) => rank(one) - rank(other) || one.object.localeCompare(other.object) || one.id - other.id,
  )
}

interface RecordedPart {
  readonly record: LogRecord
  readonly part: Part
}

async function rowsOf(
  reader: Reader,
  { account }: Root,
  subjects: readonly Subject[],
  showing: DiffShowing & { readonly model: Model },
): Promise<history.DiffRow[]> {
  const wanted = [...new Set(subjects.flatMap(({ positions }) => positions))]
  const found = new Map<number, LogRecord>()
  for (const part of inSteps(wanted)) {
    const records = await logOf(reader, account)
      .selectAll()
      .where((eb) => reader.dialect.among(eb.ref('position'), part, 'integer'))
      .execute()
    for (const record of records) found.set(record.position ?? 0, record)
  }
  const rows = subjects.flatMap((subject) => {
    const parts = subject.positions.flatMap((position): RecordedPart[] => {
      const record = found.get(position)
      const all = record ? partsOf(record) : []
      const part = all.find(({ object, id }) => object === subject.object && id === subject.id) ?? all[0]
      return record && part ? [{ record, part }] : []
    })
    const row = rowOf(parts, showing)
    return row ? [row] : []
  })
  const named = await withNames(
    reader,
    account,
    rows.flatMap(({ left, entered }) => [...left, ...entered]),
  )
  return rows.map((row) => ({ ...row, left: row.left.map(named), entered: row.entered.map(named) }))
}

/** Undefined where both moments are alike. */
function rowOf(
  parts: readonly RecordedPart[],
  { model, language, zone }: DiffShowing & { readonly model: Model },
): history.DiffRow | undefined {
  const last = parts.at(-1)
  if (!last) return undefined
  const { object, id } = last.part
  const shown = parts.filter(({ part }) => part.before !== null || part.after !== null)
  const [before, after] = [shown[0]?.part.before, shown.at(-1)?.part.after]
  const placed = parts.flatMap(({ part }) => (part.places ? [part.places] : []))
  const moved = movedBetween({ before: placed[0]?.before ?? [], after: placed.at(-1)?.after ?? [] })
  const fields = before && after ? fieldDifferences(before, after) : []
  const change = changeOf(before, after, moved.left.length + moved.entered.length > 0, fields.length > 0)
  if (!change) return undefined
  const setBy = new Map<string, LogRecord>()
  for (const { record, part } of shown) {
    for (const { field } of fieldDifferences(part.before, part.after)) setBy.set(field, record)
  }
  return {
    change,
    bk_obj_id: object,
    bk_inst_id: id,
    name: last.part.name,
    ...authorOf(last.record, zone),
    fields: fields.map(({ field, ...each }) => ({
      bk_property_id: field,
      bk_property_name: fieldLabel(model, object, field, language),
      ...each,
      ...authorOf(setBy.get(field) ?? last.record, zone),
    })),
    ...moved,
  }
}

/** Moves alone leave both sides undefined. */
function changeOf(
  before: object | null | undefined,
  after: object | null | undefined,
  isMoved: boolean,
  isChanged: boolean,
): history.Difference | undefined {
  if (before === null) return after === null ? undefined : 'created'
  if (after === null) return 'deleted'
  if (isMoved) return 'moved'
  return isChanged ? 'changed' : undefined
}

export const noDifferences = (): DiffCounts => ({ created: 0, deleted: 0, changed: 0, moved: 0 })
