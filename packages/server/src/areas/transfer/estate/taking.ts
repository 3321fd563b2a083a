import { type Problem, problem } from '@mainline/contract'
import type { Caller } from '../../../platform/http/route.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import { modelOf } from '../../model/index.ts'
import type { Fate } from '../run.ts'
import type { Place } from './list.ts'
import type { Making } from './make.ts'
import { type AnyRecord, differences } from './records.ts'

/** Into what, in whose name and how lines are taken in. */
export interface Taking {
  readonly storage: Storage
  readonly actor: Caller
  readonly making: Making
  readonly dryRun: boolean
}

export const failed = (wrong: Problem): Fate => ({ outcome: 'failed', problem: wrong })

/** Held against what is there. */
export function judged(record: AnyRecord, there: AnyRecord): Fate {
  const what = differences(record, there)
  return what.length === 0 ? { outcome: 'unchanged' } : failed(problem('differs', { what: what.join(', ') }))
}

export async function placeOf({ storage, actor, making }: Taking): Promise<Place> {
  const { account } = actor
  return {
    reader: storage.heavy,
    account,
    model: await modelOf(storage.read, account),
    showing: { ...making.showing, language: 'en' },
  }
}
