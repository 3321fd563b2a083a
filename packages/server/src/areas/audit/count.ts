import { createHash } from 'node:crypto'
import { cached, preparedShared, type Reader, type Storage } from '../../storage/index.ts'
import { type AuditFilter, filteredLog, filteredTally, isTallied } from './filter.ts'

interface Counted {
  /** The last position that was counted. */
  readonly through: number
  readonly count: number
}

/** The cached count: replaced whenever more records have been counted. */
interface Progress {
  counted: Counted
}

export type LogStorage = Pick<Storage, 'read' | 'heavy'>

const readHead = preparedShared((reader) => reader.selectFrom('log_head').select(['floor', 'position']))

/**
 * Counts matching records. Records never change and are removed from the oldest end only, so counts of sealed segments and the counts
 * cached by this process stay valid; only newer records are read, and none where there are none.
 */
export async function countLog({ read, heavy }: LogStorage, filter: AuditFilter): Promise<number> {
  const [head] = await readHead(read, {})
  if (!head) throw new Error('the log has no head')
  const key = `audit ${createHash('sha256').update(JSON.stringify(filter)).digest('base64')}`
  const progress = await cached<Progress>(heavy, key, head.floor, async () => ({
    counted: isTallied(filter) ? await tally(heavy, filter) : nothing,
  }))
  const known = progress.counted
  if (known.through === head.position && heavy.dialect.numbersInChange) return known.count
  // One statement: a record must not be numbered between counting old and new ones.
  const found = await heavy
    .selectNoFrom([
      countOf(filteredLog(heavy, filter, known.through)).as('since'),
      countOf(filteredLog(heavy, filter, head.position)).as('beyond'),
    ])
    .executeTakeFirstOrThrow()
  const count = known.count + Number(found.since)
  progress.counted = { through: head.position, count: count - Number(found.beyond) }
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
