import { createHash } from 'node:crypto'
import { type CommittedReader, cached, type Reader } from '../../platform/storage/index.ts'
import { type AuditFilter, filteredLog, filteredTally, isTallied } from './filter.ts'

interface Counted {
  /** The last position that was counted. */
  readonly through: number
  readonly count: number
}

/** What is cached: replaced whenever more has been counted. */
interface Progress {
  counted: Counted
}

/**
 * How many records pass. Records never change and are removed from the oldest end only, so what was counted once is not counted
 * again: neither by the tallies of sealed segments, nor what this process has counted before. What has come since is.
 */
export async function countLog(reader: CommittedReader, filter: AuditFilter): Promise<number> {
  const { floor, position: head } = await reader
    .selectFrom('log_head')
    .select(['floor', 'position'])
    .executeTakeFirstOrThrow()
  const key = `audit ${createHash('sha256').update(JSON.stringify(filter)).digest('base64')}`
  const progress = await cached<Progress>(reader, key, floor, async () => ({
    counted: isTallied(filter) ? await tally(reader, filter) : nothing,
  }))
  const known = progress.counted
  // Of one moment: what is counted as new and not as old must not come in between.
  const found = await reader
    .selectNoFrom([
      countOf(filteredLog(reader, filter, known.through)).as('since'),
      countOf(filteredLog(reader, filter, head)).as('beyond'),
    ])
    .executeTakeFirstOrThrow()
  const count = known.count + Number(found.since)
  progress.counted = { through: head, count: count - Number(found.beyond) }
  return count
}

const nothing: Counted = { through: 0, count: 0 }

async function tally(reader: Reader, filter: AuditFilter): Promise<Counted> {
  const found = await reader
    .selectFrom('log_head')
    .select([
      'tallied',
      filteredTally(reader, filter)
        .select((eb) => eb.fn.sum<number | null>('records').as('count'))
        .$asScalar()
        .as('count'),
    ])
    .executeTakeFirstOrThrow()
  return { through: found.tallied, count: Number(found.count ?? 0) }
}

const countOf = (query: ReturnType<typeof filteredLog>) =>
  query.select((eb) => eb.fn.countAll<number>().as('count')).$asScalar()
