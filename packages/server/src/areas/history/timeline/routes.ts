import { history, pageLimit, problem } from '@mainline/contract'
import type { Zone } from '../../../common/time.ts'
import { readFlag } from '../../../http/query.ts'
import { type Caller, handle, type Route } from '../../../http/route.ts'
import type { Storage } from '../../../storage/index.ts'
import { readBlame } from './blame.ts'
import type { QueryPast } from './diff/results.ts'
import { diffRoute } from './diff/route.ts'
import { entriesOf } from './entries.ts'
import { readRange } from './range.ts'
import { findRoot, type HistoryReaders, readableRecords } from './root.ts'
import { readVersions } from './versions.ts'

export function timelineRoutes(
  storage: Storage,
  zone: Zone,
  readers: HistoryReaders,
  past: Omit<QueryPast, 'present'>,
): Route[] {
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

  return [
    handle(history.getInstanceHistory, async ({ actor, params, query }) => {
      const [start, limit] = [readCount('start', query.start, 0), readCount('limit', query.limit, 20)]
      if (limit > pageLimit || limit < 1) throw problem('pageLimit')
      const isBelowIncluded = readFlag(query, 'below')
      const { root, entries } = await readableEntries(actor, params, { ...query, isBelowIncluded })
      const operation = query.op_type === undefined ? undefined : readCount('op_type', query.op_type, 0)
      const wanted = entries.filter((entry) => operation === undefined || entry.operation === operation)
      const page = wanted.slice(start, start + limit).map(({ position }) => position)
      return { count: wanted.length, info: await readVersions(heavy, page, root, actor, zone) }
    }),
    handle(history.getBlame, async ({ actor, params }) => {
      const { root, entries } = await readableEntries(actor, params, { isBelowIncluded: false })
      return readBlame(heavy, root, entries, actor, zone)
    }),
    diffRoute(storage, zone, readers, { ...past, present: storage }),
  ]
}

/** A repeated parameter is an array, and therefore not a number. */
function readCount(field: string, text: unknown, absent: number): number {
  if (text === undefined) return absent
  if (typeof text !== 'string' || !/^\d{1,9}$/.test(text)) throw problem('notInteger', { field })
  return Number(text)
}
