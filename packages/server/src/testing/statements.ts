import type { Storage } from '../platform/storage/index.ts'

/** Counts the reads bounded by a page or a key from now on: all of them, or those whose statement is like this. */
export function countReads({ engine }: Storage, like = /./): { count(): number; stop(): void } {
  const { reads } = engine
  const query = reads.query
  let count = 0
  reads.query = function (this: typeof reads, sql, parameters) {
    if (like.test(sql)) count++
    return query.call(this, sql, parameters)
  }
  return {
    count: () => count,
    stop: () => {
      reads.query = query
    },
  }
}
