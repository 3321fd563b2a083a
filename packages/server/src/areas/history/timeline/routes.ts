import { type BodyOf, defaultLimit, history, pageLimit, problem, rule } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import { readFlag } from '../../../http/query.ts'
import { type Caller, handle, type Route } from '../../../http/route.ts'
import { Stream } from '../../../http/stream.ts'
import type { Storage } from '../../../storage/index.ts'
import { readBlame } from './blame.ts'
import { diffRows, noDifferences } from './diff.ts'
import { entriesOf } from './entries.ts'
import { type LogRange, readRange } from './range.ts'
import { findRoot, type HistoryReaders, type Root, readableRecords } from './root.ts'
import { readVersions } from './versions.ts'

type DiffBody = BodyOf<typeof history.getDiff>

export function timelineRoutes(storage: Storage, zone: Zone, readers: HistoryReaders): Route[] {
  const { heavy } = storage

  /** The readable records of an instance, newest first. */
  async function readableEntries(
    actor: Caller,
    { bk_obj_id, bk_inst_id }: { bk_obj_id: string; bk_inst_id: number },
    { from, to, isBelowIncluded }: { from?: unknown; to?: unknown; isBelowIncluded: boolean },
  ) {
    const { account } = actor
    const root = await findRoot(heavy, account, bk_obj_id, bk_inst_id)
    const isReadable = await readableRecords(storage, actor, root, readers)
    const range = await readRange(heavy, { account, zone, from, to })
    const entries = await entriesOf(heavy, root, range, isBelowIncluded)
    return { root, entries: isBelowIncluded ? entries : entries.filter(isReadable) }
  }

  const momentShown = ({ position, time }: LogRange['upTo']) => ({ position, time: zone.write(time) })

  return [
    handle(history.getInstanceHistory, async ({ actor, params, query }) => {
      const [start, limit] = [readCount('start', query.start, 0), readCount('limit', query.limit, 20)]
      if (limit > pageLimit || limit < 1) throw problem('pageLimit')
      const isBelowIncluded = readFlag(query, 'below')
      const { root, entries } = await readableEntries(actor, params, { ...query, isBelowIncluded })
      const page = entries.slice(start, start + limit).map(({ position }) => position)
      return { count: entries.length, info: await readVersions(heavy, page, root, actor, zone) }
    }),
    handle(history.getBlame, async ({ actor, params }) => {
      const { root, entries } = await readableEntries(actor, params, { isBelowIncluded: false })
      return readBlame(heavy, root, entries, actor, zone)
    }),
    handle(history.getDiff, async ({ actor, body, headers }) => {
      const { account, language } = actor
      const { object, id } = subjectOf(body)
      const root = await findRoot(heavy, account, object, id)
      await readableRecords(storage, actor, root, readers)
      const range = await readRange(heavy, { account, zone, from: body.from, to: body.to })
      const rows = () => diffRows(heavy, root, range, { language, zone })
      const moments = { from: momentShown(range.after), to: momentShown(range.upTo) }
      if (acceptsLines(headers.accept)) return new Stream(history.linesOfDiff, () => diffLines(moments, rows()))
      const { start = 0, limit = defaultLimit } = body.page ?? {}
      const counts = noDifferences()
      const info: history.DiffRow[] = []
      let count = 0
      for await (const part of rows()) {
        for (const row of part) {
          counts[row.change]++
          if (count >= start && count < start + limit) info.push(row)
          count++
        }
      }
      return { ...moments, counts, count, info }
    }),
  ]
}

/** A business, or an instance. */
function subjectOf({ bk_biz_id, bk_obj_id, bk_inst_id }: DiffBody): Pick<Root, 'object' | 'id'> {
  const isInstance = bk_obj_id !== undefined && bk_inst_id !== undefined
  if ((bk_biz_id !== undefined) === isInstance || (bk_obj_id === undefined) !== (bk_inst_id === undefined)) {
    const values = 'bk_biz_id, bk_obj_id with bk_inst_id'
    throw problem('invalid', { field: 'bk_biz_id', rule: rule('oneOfThese', { values }) })
  }
  return isInstance ? { object: bk_obj_id, id: bk_inst_id } : { object: 'biz', id: bk_biz_id ?? 0 }
}

const acceptsLines = (accept: string | undefined) =>
  (accept ?? '').split(',').some((each) => each.split(';')[0]?.trim() === history.linesOfDiff)

async function* diffLines(moments: object, rows: AsyncIterable<history.DiffRow[]>): AsyncGenerator<string> {
  yield `${JSON.stringify(moments)}\n`
  const counts = noDifferences()
  for await (const part of rows) {
    for (const row of part) counts[row.change]++
    if (part.length > 0) yield `${part.map((row) => JSON.stringify(row)).join('\n')}\n`
  }
  yield `${JSON.stringify({ counts })}\n`
}

/** A repeated parameter is an array, and therefore not a number. */
function readCount(field: string, text: unknown, absent: number): number {
  if (text === undefined) return absent
  if (typeof text !== 'string' || !/^\d{1,9}$/.test(text)) throw problem('notInteger', { field })
  return Number(text)
}
