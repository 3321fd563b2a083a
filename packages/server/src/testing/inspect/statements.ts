import type { Storage } from '../../storage/index.ts'

/** The statement that reads both ends of the log. */
export const endsRead = /"log_head"."position", "log_head"."floor"/

/** The past is derived in the background, after every change. */
const readsOfPast = /"past_/

/** Counts reads bounded by a page or a key from now on, but those of the past: all, or those with a similar statement. */
export function countReads({ engine }: Storage, like = /./): { count(): number; stop(): void } {
  const { reads } = engine
  const query = reads.query
  let count = 0
  reads.query = function (this: typeof reads, sql, parameters) {
    if (like.test(sql) && !readsOfPast.test(sql)) count++
    return query.call(this, sql, parameters)
  }
  return {
    count: () => count,
    stop: () => {
      reads.query = query
    },
  }
}
