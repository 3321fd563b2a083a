import { Problem } from '@mainline/contract'
import type { Reader } from '../../../storage/index.ts'
import { fieldsToShow, findHostIds, type Host, hostsAmong, type SearchReaders } from '../../hosts/index.ts'
import type { Model } from '../../model/index.ts'
import { type Business, findBusiness } from '../../topology/index.ts'
import { planned } from './data.ts'
import { type Info, objectsBehind, type QueryReading, readInfo } from './info.ts'
import type { QueryRow } from './store.ts'

/** The result of a query, for readers that need single hosts instead of pages. */
export interface Result {
  /** The public ids of all hosts in the result. */
  hostIds(): Promise<number[]>
  /** Those of the given hosts that are in the result. */
  among(reader: Reader, hostIds: readonly number[]): Promise<Host[]>
  /** The attributes to show of a host; empty for all. */
  readonly fields: readonly string[]
  /** The objects of associated instances that decide it. */
  readonly behind: readonly string[]
  readonly model: Model
}

/**
 * The current result of a query. Undefined while it cannot be run: its business is archived, or it uses attributes that
 * the model no longer has.
 */
export async function resultOf(
  looking: SearchReaders,
  query: QueryRow,
  reading: QueryReading,
  modelFor: (business: Business) => Model | Promise<Model>,
): Promise<Result | undefined> {
  const { account, info: text } = query
  const business = await livingBusiness(looking.read, query)
  if (!business) return undefined
  const model = await modelFor(business)
  if (!(await readable(looking.read, text, model, reading))) return undefined
  const { info, plan } = await planned(looking, { account, model, reading, business, text })
  return {
    hostIds: () => findHostIds(looking, plan),
    among: (reader, hostIds) => hostsAmong(reader, plan, hostIds),
    fields: fieldsToShow(info.query, 'host'),
    behind: objectsBehind(info.query),
    model,
  }
}

async function livingBusiness(reader: Reader, { account, biz_id }: QueryRow): Promise<Business | undefined> {
  try {
    return await findBusiness(reader, account, biz_id)
  } catch (error) {
    if (error instanceof Problem && error.kind === 'notFound') return undefined
    throw error
  }
}

/** The objects of associated instances that decide the result; none while the query cannot be run. */
export async function objectsBehindQuery(
  reader: Reader,
  { info }: QueryRow,
  model: Model,
  reading: QueryReading,
): Promise<string[]> {
  const found = await readable(reader, info, model, reading)
  return found ? objectsBehind(found.query) : []
}

async function readable(reader: Reader, text: string, model: Model, reading: QueryReading): Promise<Info | undefined> {
  try {
    return await readInfo(reader, text, model, reading)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}
