import { type Problem, problem } from '@mainline/contract'
import type { Caller } from '../../../platform/http/route.ts'
import type { Reader, Tx } from '../../../platform/storage/index.ts'
import { modelOf } from '../../model/index.ts'
import type { Fate } from '../run.ts'
import type { Place } from './list.ts'
import type { Making } from './make.ts'
import { type AnyRecord, differences } from './records.ts'

/** Into what, in whose name and how lines are taken in. */
export interface Taking {
  readonly actor: Caller
  readonly making: Making
  /** Sees what has been taken in so far. */
  readonly reader: Reader
  change<T>(work: (tx: Tx) => Promise<T>, options?: { chain: 'shared' | 'exclusive' }): Promise<T>
}

export const failed = (wrong: Problem): Fate => ({ outcome: 'failed', problem: wrong })

/** Held against what is there. */
export function judged(record: AnyRecord, there: AnyRecord): Fate {
  const what = differences(record, there)
  return what.length === 0 ? { outcome: 'unchanged' } : failed(problem('differs', { what: what.join(', ') }))
}

export async function placeOf({ reader, actor: { account }, making }: Taking): Promise<Place> {
  const model = await modelOf(reader, account)
  return { reader, account, model, showing: { ...making.showing, language: 'en' } }
}
