// What differs between two moments: the records in between, folded by instance.
import type { history, Language } from '@mainline/contract'
import type { Zone } from '../../../../common/time.ts'
import type { LogRecord, Reader } from '../../../../storage/index.ts'
import { type Model, modelOf } from '../../../model/index.ts'
import { fieldDifferences, fieldLabel } from '../fields.ts'
import { logOf } from '../members.ts'
import { withNames } from '../names.ts'
import { type Part, partsOf } from '../parts.ts'
import { inSteps } from '../placements.ts'
import type { LogRange } from '../range.ts'
import type { Root } from '../root.ts'
import { authorOf, movedBetween, unknownAuthor } from '../versions.ts'
import type { ResultsOfQuery } from './results.ts'
import { type Subject, subjectsBelow, subjectsInResults } from './subjects.ts'

interface DiffShowing {
  readonly language: Language
  readonly zone: Zone
  /** Whether the caller may read a record. The values that it has left are in any case those of the later moment. */
  isReadable(record: LogRecord): boolean
}

export type DiffCounts = Record<history.Difference, number>

/** Instances whose records are read together. */
const subjectsPerStep = 100

/** The rows of a diff a few at a time: of what is below an instance, or of the hosts in the results of a query. */
export async function* diffRows(
  reader: Reader,
  root: Root,
  range: LogRange,
  { results, ...showing }: DiffShowing & { readonly results: ResultsOfQuery | undefined },
): AsyncGenerator<history.DiffRow[]> {
  const model = await modelOf(reader, root.account)
  const subjects = results
    ? await subjectsInResults(reader, root, range, results)
    : await subjectsBelow(reader, root, range, model)
  for (let first = 0; first < subjects.length; first += subjectsPerStep) {
    const part = subjects.slice(first, first + subjectsPerStep)
    yield await rowsOf(reader, root, part, { ...showing, model })
  }
}

interface RecordedPart {
  readonly record: LogRecord
  readonly part: Part
}

async function rowsOf(
  reader: Reader,
  { account, business }: Root,
  subjects: readonly Subject[],
  { zone, isReadable, ...showing }: DiffShowing & { readonly model: Model },
): Promise<history.DiffRow[]> {
  const author = ({ record, part }: RecordedPart) =>
    isReadable(record) || isBetween(part, business)
      ? authorOf(record, zone)
      : { ...unknownAuthor, position: record.position ?? 0 }
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
    const row = rowOf(parts, { ...showing, author })
    if (subject.crossing) return [{ ...(row ?? unrecordedRow(subject)), ...subject.crossing }]
    return row ? [row] : []
  })
  const named = await withNames(
    reader,
    account,
    rows.flatMap(({ left, entered }) => [...left, ...entered]),
  )
  return rows.map((row) => ({ ...row, left: row.left.map(named), entered: row.entered.map(named) }))
}

/** A move out of the business, or into it, which may be recorded in the other one. */
const isBetween = ({ places }: Part, business: number): boolean =>
  [...(places?.before ?? []), ...(places?.after ?? [])].some((place) => place.bk_biz_id === business)

interface RowShowing {
  readonly model: Model
  readonly language: Language
  author(recorded: RecordedPart): ReturnType<typeof authorOf>
}

/** Undefined where both moments are alike. */
function rowOf(parts: readonly RecordedPart[], { model, language, author }: RowShowing): history.DiffRow | undefined {
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
  const setBy = new Map<string, RecordedPart>()
  for (const each of shown) {
    for (const { field } of fieldDifferences(each.part.before, each.part.after)) setBy.set(field, each)
  }
  return {
    change,
    bk_obj_id: object,
    bk_inst_id: id,
    name: last.part.name,
    ...author(last),
    fields: fields.map(({ field, ...each }) => ({
      bk_property_id: field,
      bk_property_name: fieldLabel(model, object, field, language),
      ...each,
      ...author(setBy.get(field) ?? last),
    })),
    ...moved,
  }
}

/** A host that entered or left a result because something else has changed, such as its set. */
const unrecordedRow = ({ object, id }: Subject) => ({
  bk_obj_id: object,
  bk_inst_id: id,
  ...unknownAuthor,
  fields: [],
  left: [],
  entered: [],
})

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
