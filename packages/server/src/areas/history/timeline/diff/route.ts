import { type BodyOf, defaultLimit, history, problem, rule } from '@mainline/contract'
import type { Zone } from '../../../../common/time.ts'
import { type Caller, handle, type Route } from '../../../../http/route.ts'
import { Stream } from '../../../../http/stream.ts'
import type { Storage } from '../../../../storage/index.ts'
import { type LogRange, readRange } from '../range.ts'
import { findRoot, type HistoryReaders, type Root, readableRecords } from '../root.ts'
import { type QueryPast, queryThen, resultsAt } from './results.ts'
import { diffRows, noDifferences } from './rows.ts'

type DiffBody = BodyOf<typeof history.getDiff>
/** Exactly one of them is given. */
type DiffSubject = Pick<Root, 'object' | 'id'> | { readonly query: string }

export function diffRoute(storage: Storage, zone: Zone, readers: HistoryReaders, past: QueryPast): Route {
  const { heavy } = storage
  const momentShown = ({ position, time }: LogRange['upTo']) => ({ position, time: zone.write(time) })

  async function subjectOf(actor: Caller, range: LogRange, named: DiffSubject) {
    const { account } = actor
    if (!('query' in named)) {
      const root = await findRoot(heavy, account, named.object, named.id)
      return { root, isReadable: await readableRecords(storage, actor, root, readers), results: undefined }
    }
    const query = await queryThen(past, actor, range, named.query)
    const root: Root = { account, object: 'biz', id: query.biz_id, business: query.biz_id }
    const isReadable = await readableRecords(storage, actor, root, readers)
    return { root, isReadable, results: await resultsAt(past, actor, range, query) }
  }

  return handle(history.getDiff, async ({ actor, body, headers }) => {
    const { account, language } = actor
    const named = readSubject(body)
    const range = await readRange(heavy, { account, zone, from: body.from, to: body.to })
    const { root, isReadable, results } = await subjectOf(actor, range, named)
    const rows = () => diffRows(heavy, root, range, { results, language, zone, isReadable })
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
  })
}

/** A business, a saved query or an instance. */
function readSubject({
  bk_biz_id: business,
  query_id: query,
  bk_obj_id: object,
  bk_inst_id: id,
}: DiffBody): DiffSubject {
  const isHalf = (object === undefined) !== (id === undefined)
  const given = [business, query, object].filter((each) => each !== undefined)
  if (given.length !== 1 || isHalf) {
    const values = 'bk_biz_id, query_id, bk_obj_id with bk_inst_id'
    throw problem('invalid', { field: 'bk_biz_id', rule: rule('oneOfThese', { values }) })
  }
  if (query !== undefined) return { query }
  return object !== undefined ? { object, id: id ?? 0 } : { object: 'biz', id: business ?? 0 }
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
