// How a transaction locks its account's chain: the first lock of every change.
import { problem, rule } from '@mainline/contract'
import { currentRequest } from '../../common/caller.ts'
import { FairSlots } from '../../common/concurrency/fair-slots.ts'
import type { Engine } from '../engine.ts'
import type { Writer } from '../handles.ts'
import { prepared } from '../prepared.ts'
import { waitForMarked, waitingIn, withMark } from './waiting.ts'

export type Chain = 'shared' | 'exclusive'
export type HeldChain = Chain | 'none'

/** A shared lock is never upgraded to an exclusive one, since two upgrades would deadlock: the change restarts with the exclusive lock. */
export class NeedsExclusive extends Error {}

/** With a single writer, every change is exclusive. */
export const demanding = (engine: Engine, held: HeldChain) => () => {
  if (held === 'shared' && engine.isShared) throw new NeedsExclusive()
}

/** `entering` is shared, too, but yields to a waiting exclusive change. */
type Hold = Chain | 'entering'

const chainStatement = (hold: Hold) =>
  prepared((reader, { account }: { account: string }) =>
    reader
      .selectFrom('account')
      .select((eb) => [
        'model_version',
        reader.dialect.transactionId.as('transaction_id'),
        eb
          .selectFrom('breaking_step')
          .select((inner) => inner.fn.max('number').as('newest'))
          .as('schema'),
      ])
      .where('name', '=', account)
      .$if(reader.dialect.locksRows && hold === 'entering', (query) =>
        query.where(({ not, exists }) => not(exists(waitingIn(reader, account)))),
      )
      .$if(reader.dialect.locksRows && hold !== 'exclusive', (query) => query.forShare('account'))
      .$if(reader.dialect.locksRows && hold === 'exclusive', (query) => query.forUpdate('account')),
  )
const chainStatements: Record<Hold, ReturnType<typeof chainStatement>> = {
  entering: chainStatement('entering'),
  shared: chainStatement('shared'),
  exclusive: chainStatement('exclusive'),
}

/** What a change reads with its first lock. */
export interface Entered {
  readonly modelVersion: number
  /** See `Dialect.transactionId`. */
  readonly transactionId: string | undefined
}

/** The account does not exist, or an exclusive change is waiting. */
class NotEntered extends Error {}

/** The first statement of every change: locks the chain, and reads the current versions of model and schema. */
export async function holdChain(writer: Writer, account: string, hold: Hold, knownSchema: number): Promise<Entered> {
  const [found] = await chainStatements[hold](writer, { account })
  if (!found && hold === 'entering' && writer.dialect.locksRows) throw new NotEntered()
  if (!found) throw problem('notFound')
  refuseNewer(found.schema ?? 0, knownSchema)
  return { modelVersion: found.model_version, transactionId: found.transaction_id ?? undefined }
}

const schemaStatement = prepared((reader) =>
  reader.selectFrom('breaking_step').select((eb) => eb.fn.max('number').as('schema')),
)

/** The first statement of a change without a chain. */
async function holdNothing(writer: Writer, knownSchema: number): Promise<Entered> {
  const [found] = await schemaStatement(writer, {})
  refuseNewer(found?.schema ?? 0, knownSchema)
  return { modelVersion: 0, transactionId: undefined }
}

function refuseNewer(found: number, known: number): void {
  if (found > known) throw problem('notReady', { rule: rule('upgraded', { found, known }) })
}

/** A transaction's turn at the chain: its first statement, and the last one before the log. */
export interface Turn {
  begin(writer: Writer): Promise<Entered>
  end(writer: Writer): Promise<unknown>
}

const noCleanup = async () => {}

const exclusiveSlots = new WeakMap<Engine, FairSlots>()

/**
 * Exclusive changes of one caller run sequentially, as the lock enforces anyway. Six concurrent ones would repeatedly overtake every other change of
 * the account.
 */
function inCallersTurn<T>(engine: Engine, work: () => Promise<T>): Promise<T> {
  const request = currentRequest()
  if (!request) return work()
  const slots =
    exclusiveSlots.get(engine) ??
    new FairSlots({ maxRunning: 1_000, maxRunningPerCaller: 1, maxWaiting: 10_000, maxWaitingPerCaller: 1_000 })
  exclusiveSlots.set(engine, slots)
  return slots.run(request.caller, work)
}

/**
 * Overlapping shared row locks would starve an exclusive one. So an exclusive change announces itself first, and shared ones do not start before it:
 * they wait without a connection and without a lock.
 */
export async function inTurn<T>(
  engine: Engine,
  account: string,
  chain: HeldChain,
  knownSchema: number,
  run: (turn: Turn) => Promise<T>,
): Promise<T> {
  if (chain === 'none') return run({ begin: (writer) => holdNothing(writer, knownSchema), end: noCleanup })
  const holding = (hold: Hold) => (writer: Writer) => holdChain(writer, account, hold, knownSchema)
  if (chain === 'exclusive') {
    const hold = holding('exclusive')
    if (!engine.isShared) return run({ begin: hold, end: noCleanup })
    return inCallersTurn(engine, () =>
      withMark(engine, { account, business: 0 }, (mark) =>
        run({ begin: (writer) => mark.until(hold(writer)), end: mark.remove }),
      ),
    )
  }
  try {
    return await run({ begin: holding('entering'), end: noCleanup })
  } catch (error) {
    if (!(error instanceof NotEntered)) throw error
  }
  await waitForMarked(engine, account)
  return run({ begin: holding('shared'), end: noCleanup })
}
