import { uniqueId } from '../../common/unique-id.ts'
import type { Engine } from '../engine.ts'
import { readerOver, writerOver } from '../handles.ts'
import type { OnFork, SealWitness, StoredSeals } from './seal-witness.ts'
import { lineOf } from './statement.ts'
import { fileWitness } from './witness-file.ts'
import { httpWitness } from './witness-http.ts'

const maxSealsAtATime = 100

/** A path, or an http or https address. */
export const openSealWitness = (place: string, onFork: OnFork): SealWitness | undefined =>
  place === '' ? undefined : /^https?:\/\//.test(place) ? httpWitness(place) : fileWitness(place, onFork)

/** Sends the next seals that the witness lacks. Returns whether there were any. */
export async function witnessNext(engine: Engine, witness: SealWitness, signal: AbortSignal): Promise<boolean> {
  const reader = readerOver(engine.reads, engine)
  const { witnessed } = await reader.selectFrom('log_head').select('witnessed').executeTakeFirstOrThrow()
  const after = (await witness.newest?.(sealsToWitness(engine))) ?? witnessed
  const next = await reader
    .selectFrom('seal')
    .selectAll()
    .where('segment', '>', after)
    .orderBy('segment')
    .limit(maxSealsAtATime)
    .execute()
  if (next.length > 0) await witness.append(next, signal)
  const newest = next.at(-1)?.segment ?? after
  if (newest !== witnessed) {
    await engine.transact(uniqueId(), async (connection) => {
      await writerOver(connection, engine).updateTable('log_head').set({ witnessed: newest }).execute()
    })
  }
  return next.length > 0
}

function sealsToWitness(engine: Engine): StoredSeals {
  const reader = readerOver(engine.heavyReads, engine)
  return {
    async line(segment) {
      const seal = await reader.selectFrom('seal').selectAll().where('segment', '=', segment).executeTakeFirst()
      return seal && lineOf(seal)
    },
    async lines() {
      const all = await reader.selectFrom('seal').selectAll().execute()
      return new Map(all.map((seal) => [seal.segment, lineOf(seal)]))
    },
  }
}
