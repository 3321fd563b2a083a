import { newStamp, uniqueId } from '../../common/unique-id.ts'
import type { Connection } from '../connection.ts'
import type { Engine } from '../engine.ts'
import { type Reader, writerOver } from '../handles.ts'
import { drawIds } from '../ids.ts'
import type { Actor } from './actor.ts'
import { withoutTurns } from './business-turns.ts'
import { type Chain, demanding, type Entered, holdChain, inTurn, NeedsExclusive } from './chain.ts'
import type { Tx } from './change.ts'

/** A dry run of changes, each seeing those before it; one that fails undoes only itself. Finally all are rolled back. */
interface Rehearsal {
  /** Sees the changes so far. */
  readonly reader: Reader
  change<T>(work: (tx: Tx) => Promise<T>, options?: { readonly chain: Chain }): Promise<T>
}

/** Keeps the locks of its changes until the end. May run again, like a change. */
export type RehearseFunction = <T>(actor: Actor, work: (rehearsal: Rehearsal) => Promise<T>) => Promise<T>

/** Carries the result out of the transaction as an error, which rolls it back. */
class RolledBack<T> extends Error {
  readonly result: T
  constructor(result: T) {
    super('rolled back')
    this.result = result
  }
}

export function rehearsalsOf(engine: Engine, knownSchema: number): RehearseFunction {
  return async <T>(actor: Actor, work: (rehearsal: Rehearsal) => Promise<T>) => {
    const rehearse = (chain: Chain) =>
      inTurn(engine, actor.account, chain, knownSchema, (turn) => {
        const within = async (connection: Connection): Promise<never> => {
          const writer = writerOver(connection, engine)
          await turn.begin(writer)
          const hold = (asked: Chain) => {
            if (asked === 'exclusive' && chain === 'shared' && engine.isShared) throw new NeedsExclusive()
            return holdChain(writer, actor.account, asked, knownSchema)
          }
          const rehearsal = rehearsalOver(connection, engine, actor, hold, demanding(engine, chain))
          const result = await work(rehearsal)
          rehearsal.refuseLost()
          throw new RolledBack(result)
        }
        return engine.transact(uniqueId(), within, { bulk: true, sheds: true })
      })
    try {
      return await rehearse('shared').catch((error) => {
        if (error instanceof NeedsExclusive) return rehearse('exclusive')
        throw error
      })
    } catch (error) {
      if (error instanceof RolledBack) return error.result as T
      throw error
    }
  }
}

function rehearsalOver(
  connection: Connection,
  engine: Engine,
  actor: Actor,
  hold: (chain: Chain) => Promise<Entered>,
  demandExclusive: () => void,
): Rehearsal & { refuseLost(): void } {
  const writer = writerOver(connection, engine)
  // Kept between changes while the version is the same.
  let model: Tx['model'] & { version: number } = { version: 0, known: undefined }
  let lost: { readonly by: unknown } | undefined
  const refuseLost = () => {
    if (lost) throw lost.by
  }
  return {
    reader: writer,
    refuseLost,
    async change(work, { chain } = { chain: 'shared' }) {
      refuseLost()
      await connection.script('SAVEPOINT rehearsed')
      try {
        const { modelVersion } = await hold(chain)
        if (model.version !== modelVersion) model = { version: modelVersion, known: undefined }
        const statements: Promise<unknown>[] = []
        const done = await work({
          ...writer,
          actor,
          now: Date.now(),
          modelVersion: Promise.resolve(modelVersion),
          stamp: newStamp(),
          model,
          demandExclusive,
          turns: withoutTurns,
          record: () => {},
          flush: async () => {},
          later(statement) {
            statement.catch(() => {})
            statements.push(statement)
          },
          drawIds: (kind, count) => drawIds(engine, writer, kind, count),
        })
        for (const statement of statements) await statement
        await connection.script('RELEASE rehearsed')
        return done
      } catch (error) {
        model = { version: 0, known: undefined }
        if (error instanceof NeedsExclusive) lost = { by: error }
        try {
          await connection.script('ROLLBACK TO rehearsed; RELEASE rehearsed')
        } catch {
          // A full disk has ended the transaction: on SQLite the next savepoint would start one that is committed.
          lost = { by: error }
        }
        throw error
      }
    },
  }
}
