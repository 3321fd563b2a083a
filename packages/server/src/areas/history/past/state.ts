// How far the past has been derived from the log, and by which process.
import { isDeepStrictEqual } from 'node:util'
import { prepared, type Reader, type Writer } from '../../../storage/index.ts'
import type { RowKind } from '../recorded/index.ts'
import type { Taking } from './fold.ts'

/** The position before anything has been derived, and when all is to be derived anew. */
export const notBegun = -1

export interface Head {
  /** Records up to here have been turned into versions. */
  readonly position: number
  readonly trimmed: number
  readonly holder: string
  readonly expires: number
  /** The log: its newest and its oldest record, by the database's clock. */
  readonly logPosition: number
  readonly floor: number
  readonly now: number
}

export interface AccountState {
  readonly account: string
  readonly stage: number
  readonly copied_to: number
  readonly complete_from: number
  readonly reading_below: number
  readonly began_at: number
  readonly begin_after: number
}

/**
 * What is copied from the live tables when an account begins, one stage after the other:
 *
 *   clearing -> kinds with few rows -> nodes -> hosts -> queries -> associations -> complete
 *
 * Meanwhile changes of kinds that are copied already are taken from the log; then older records are read, from the newest to the oldest.
 */
export const stages = { clearing: -1, small: 0, nodes: 1, hosts: 2, queries: 3, associations: 4, complete: 5 } as const

const stageOfKind: Partial<Record<RowKind, number>> = {
  node: stages.nodes,
  host: stages.hosts,
  placement: stages.hosts,
  custom_query: stages.queries,
  instance_association: stages.associations,
}

export const stageOf = (kind: RowKind): number => stageOfKind[kind] ?? stages.small

export const takingAt =
  (stage: number) =>
  (kind: RowKind): Taking => {
    const own = stageOf(kind)
    // The first stage is one step: nothing has been copied before it.
    if (own === stage && stage !== stages.small) return 'copying'
    return own >= stage ? 'ignored' : 'all'
  }

const readHeads = prepared((reader) =>
  reader
    .selectFrom('log_head')
    .leftJoin('past_head', 'past_head.one', 'log_head.one')
    .select([
      'past_head.position',
      'past_head.trimmed',
      'past_head.holder',
      'past_head.expires',
      'log_head.position as logPosition',
      'log_head.floor',
      reader.dialect.now.as('now'),
    ]),
)

export async function readHead(reader: Reader): Promise<Head> {
  const [head] = await readHeads(reader, {})
  if (!head) throw new Error('the log has no head')
  const { logPosition, floor, now } = head
  return {
    position: head.position ?? notBegun,
    trimmed: head.trimmed ?? 0,
    holder: head.holder ?? '',
    expires: head.expires ?? 0,
    logPosition,
    floor,
    now,
  }
}

export const readAccount = (reader: Reader, account: string): Promise<AccountState | undefined> =>
  reader.selectFrom('past_account').selectAll().where('account', '=', account).executeTakeFirst()

export const readAccounts = (reader: Reader): Promise<AccountState[]> =>
  reader.selectFrom('past_account').selectAll().orderBy('account').execute()

/** Another process has gone on from the same position, or is at work. */
export class Overtaken extends Error {}

/** After this long without progress, another process takes over. */
export const holdMs = 1_000

/** A hold that ends later than possible is ignored: the clock was set back. */
export const isHeldElsewhere = ({ holder, expires, now }: Head, own: string): boolean =>
  holder !== own && expires > now && expires <= now + holdMs

/** An account with a record that does not hold everything begins again after this long without another. */
export const settleMs = 60_000

/** Whether an account waits for that. A time that is further ahead than possible is ignored, too. */
export function isPostponed({ begin_after: after }: AccountState): boolean {
  const now = Date.now()
  return after > now && after <= now + settleMs
}

/** The first statement of every write: moves the head, if it is where this process has left it. */
export async function moveHead(
  writer: Writer,
  holder: string,
  from: Pick<Head, 'position' | 'trimmed'>,
  to: Partial<Pick<Head, 'position' | 'trimmed'>> = {},
): Promise<void> {
  if (from.position === notBegun) {
    await writer
      .insertInto('past_head')
      .values({ one: 1, position: notBegun, trimmed: 0, holder: '', expires: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  const { now } = await writer.selectNoFrom(writer.dialect.now.as('now')).executeTakeFirstOrThrow()
  const moved = await writer
    .updateTable('past_head')
    .set({ ...to, holder, expires: now + holdMs })
    .where('position', '=', from.position)
    .where('trimmed', '=', from.trimmed)
    // As in `isHeldElsewhere`.
    .where((eb) => eb.or([eb('holder', '=', holder), eb('expires', '<', now), eb('expires', '>', now + holdMs)]))
    .executeTakeFirst()
  if (moved.numUpdatedRows === 0n) throw new Overtaken()
}

export const releaseHead = (writer: Writer, holder: string) =>
  writer.updateTable('past_head').set({ expires: 0 }).where('holder', '=', holder).execute()

export async function saveAccount(
  writer: Writer,
  account: string,
  changed: Partial<Omit<AccountState, 'account'>>,
): Promise<void> {
  await writer.updateTable('past_account').set(changed).where('account', '=', account).execute()
}

/**
 * For the writes that do not move the head: a process that was stopped between reading the account and writing may find that another one has gone
 * on with the account, and that its hold has ended since.
 */
export async function expectUnmoved(writer: Writer, known: AccountState): Promise<void> {
  const state = await readAccount(writer, known.account)
  if (!state || !isDeepStrictEqual({ ...state }, { ...known })) throw new Overtaken()
}

/** Adds the accounts that have no past yet. */
export async function addAccounts(writer: Writer, accounts: readonly string[]): Promise<void> {
  if (accounts.length === 0) return
  const begun = { stage: stages.small, copied_to: 0, complete_from: 0, reading_below: 0, began_at: 0, begin_after: 0 }
  await writer
    .insertInto('past_account')
    .values(accounts.map((account) => ({ account, ...begun })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Everything is derived anew, by a server that is running or by the next one. */
export const forgetPast = (writer: Writer): Promise<unknown> =>
  writer.updateTable('past_head').set({ position: notBegun, expires: 0 }).execute()
