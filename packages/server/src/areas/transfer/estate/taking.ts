import { type Problem, problem } from '@mainline/contract'
import type { Caller } from '../../../http/route.ts'
import type { Reader, Tx } from '../../../storage/index.ts'
import { modelOf } from '../../model/index.ts'
import type { RowResult } from '../run.ts'
import type { EstateContext } from './list.ts'
import type { EstateServices } from './make.ts'
import { type AnyRecord, differences } from './records.ts'

/** The context of an import. */
export interface EstateImport {
  readonly actor: Caller
  readonly making: EstateServices
  /** Sees the lines imported so far. */
  readonly reader: Reader
  change<T>(work: (tx: Tx) => Promise<T>, options?: { chain: 'shared' | 'exclusive' }): Promise<T>
}

export const failed = (wrong: Problem): RowResult => ({ outcome: 'failed', problem: wrong })

/** Compares a record with the existing one. */
export function compareRecord(record: AnyRecord, there: AnyRecord): RowResult {
  const what = differences(record, there)
  return what.length === 0 ? { outcome: 'unchanged' } : failed(problem('differs', { what: what.join(', ') }))
}

export async function contextOf({ reader, actor: { account }, making }: EstateImport): Promise<EstateContext> {
  const model = await modelOf(reader, account)
  return { reader, account, model, showing: { ...making.showing, language: 'en' } }
}
