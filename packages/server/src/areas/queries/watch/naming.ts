import { problem, rule } from '@mainline/contract'
import { withinMatchingLimit } from '../../../common/caller.ts'
import type { Reader, Storage, Tx } from '../../../storage/index.ts'
import { queryEvent, queryIn } from '../../events/feed/index.ts'
import { type Model, modelAt, modelOf } from '../../model/index.ts'
import { objectsBehindQuery, type QueryReading, type QueryRow, queryOf, resultOf } from '../run/index.ts'
import { maxMatchingInChangeMs } from './catch-up.ts'
import { heldResult } from './result.ts'
import { addMembers, allMembers, alterWatch, isFollowed, removeMembers } from './store.ts'

/** New queries per subscription request: the result of each is computed before the response. */
const maxNewQueries = 20

/** The hosts in the result of a query, computed at a log position; later changes are not included. */
interface KnownResult {
  readonly position: number
  readonly hostIds: readonly number[]
}

/** By query id; queries that are already watched are missing. */
export type KnownResults = ReadonlyMap<string, KnownResult>

/** The query was watched when results were computed, but is no longer. */
class ResultUnknown extends Error {}

const maxTries = 3

/**
 * Computes the results of the queries among these events before the change that starts to watch them: it may take seconds, and inside the
 * change every other change would wait for its locks.
 */
export async function knowingResults<T>(
  storage: Storage,
  account: string,
  names: readonly string[],
  reading: QueryReading,
  change: (known: KnownResults) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await change(await findResults(storage, account, idsIn(names), reading))
    } catch (error) {
      if (!(error instanceof ResultUnknown)) throw error
      if (tries === maxTries) throw problem('notReady', { rule: rule('waitedTooLong') })
    }
  }
}

async function findResults(
  storage: Storage,
  account: string,
  ids: readonly string[],
  reading: QueryReading,
): Promise<KnownResults> {
  const { read } = storage
  const known = new Map<string, KnownResult>()
  for (const id of ids) {
    if (await isFollowed(read, account, id)) continue
    if (known.size === maxNewQueries) throw tooManyQueries()
    const position = await endOfLog(read)
    const query = await queryOf(read, account, id)
    const result =
      query && (await resultOf(storage, query, reading, ({ modelVersion }) => modelAt(read, account, modelVersion)))
    known.set(id, { position, hostIds: (await result?.hostIds()) ?? [] })
  }
  return known
}

/** Read before a result: a change that the result does not include has a later position, and is evaluated then. */
const endOfLog = async (reader: Pick<Tx, 'selectFrom'>): Promise<number> =>
  (await reader.selectFrom('log_head').select('position').executeTakeFirstOrThrow()).position

/** Sorted, so that concurrent requests lock the queries in the same order. */
const idsIn = (names: readonly string[]): string[] => names.flatMap((name) => queryIn(name) ?? []).sort()

/** The objects that the queries among these events depend on, by associations. */
export async function objectsBehindQueries(
  reader: Reader,
  { model, names, reading }: { model: Model; names: readonly string[]; reading: QueryReading },
): Promise<readonly string[]> {
  const objects = new Set<string>()
  for (const id of new Set(idsIn(names))) {
    const query = await queryOf(reader, model.account, id)
    const behind = query ? await objectsBehindQuery(reader, query, model, reading) : []
    for (const object of behind) objects.add(object)
  }
  return [...objects]
}

/** As `objectsBehindQueries`, outside of a change. */
export const objectsBehindNow = async (
  reader: Reader,
  account: string,
  names: readonly string[],
  reading: QueryReading,
): Promise<readonly string[]> => objectsBehindQueries(reader, { model: await modelOf(reader, account), names, reading })

const tooManyQueries = () => problem('tooMany', { what: 'subscription_form', limit: maxNewQueries })

/**
 * Starts to watch the queries among these events. Hosts that are already in their results cause no event. Without known results they are
 * computed here, as for queries that the same change has created.
 */
export async function followNamed(
  tx: Tx,
  bizId: number,
  names: readonly string[],
  reading: QueryReading,
  known?: KnownResults,
): Promise<void> {
  const resultIn = (id: string) => {
    const found = known?.get(id)
    if (known && !found) throw new ResultUnknown()
    return found
  }
  const ids = idsIn(names)
  if (ids.length > maxNewQueries) throw tooManyQueries()
  for (const id of ids) await followOne(tx, bizId, id, reading, () => resultIn(id))
}

async function followOne(
  tx: Tx,
  bizId: number,
  id: string,
  reading: QueryReading,
  known: () => KnownResult | undefined,
): Promise<void> {
  const position = await endOfLog(tx)
  const query = await queryOf(tx, tx.actor.account, id)
  if (!query || (bizId !== 0 && query.biz_id !== bizId)) {
    throw problem('unknown', { field: queryEvent(id).slice(0, 100), rule: rule('savedQuery') })
  }
  if ((await joinWatch(tx, query, position)) === 'followed') return
  const { hostIds, ...since } = known() ?? { position, hostIds: await hostsNow(tx, query, reading) }
  await alterWatch(tx, id, { name: query.name, ...since, ended: 0 })
  const found = new Set(hostIds)
  const members = new Set(await allMembers(tx, id))
  await removeMembers(tx, id, [...members.difference(found)])
  await addMembers(tx, id, [...found.difference(members)])
}

const hostsNow = (tx: Tx, query: QueryRow, reading: QueryReading): Promise<readonly number[]> =>
  withinMatchingLimit(
    maxMatchingInChangeMs,
    async () => (await (await heldResult(tx, query, reading))?.hostIds()) ?? [],
  )

/** Locks the watch of a query, so that it cannot end before this change commits. An ended watch may still have members. */
async function joinWatch(tx: Tx, { id, account, biz_id, name }: QueryRow, position: number) {
  for (;;) {
    const made = await tx
      .insertInto('query_watch')
      .values({ query: id, account, biz_id, name, position, ended: 0 })
      .onConflict((conflict) => conflict.column('query').doNothing())
      .returning('query')
      .executeTakeFirst()
    if (made) return 'new'
    const existing = await tx
      .selectFrom('query_watch')
      .select('ended')
      .where('query', '=', id)
      .$if(tx.dialect.locksRows, (each) => each.forUpdate())
      .executeTakeFirst()
    // Deleted between the two statements: create it again.
    if (existing) return existing.ended ? 'ended' : 'followed'
  }
}
