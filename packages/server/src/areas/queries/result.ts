import { Problem } from '@mainline/contract'
import type { Reader } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import { fieldsToShow, findHostIds, type Host, hostsAmong, type Looking } from '../hosts/index.ts'
import type { Model } from '../model/index.ts'
import { type Business, findBusiness } from '../topology/index.ts'
import { planned } from './data.ts'
import { readInfo } from './info.ts'
import type { QueryRow } from './store.ts'

/** What a query finds, for whoever follows it host by host instead of reading pages of it. */
export interface Result {
  /** The public ids of all hosts it finds. */
  hostIds(): Promise<number[]>
  /** Those of these hosts that it finds. */
  among(reader: Reader, hostIds: readonly number[]): Promise<Host[]>
  /** What it shows of a host; all there is when empty. */
  readonly fields: readonly string[]
  readonly model: Model
}

/**
 * The result of a query as things are now. Undefined while it cannot be run: its business is archived, or it asks for
 * what the model no longer has.
 */
export async function resultOf(
  looking: Looking,
  query: QueryRow,
  zone: Zone,
  modelFor: (business: Business) => Model | Promise<Model>,
): Promise<Result | undefined> {
  const { account, info: text } = query
  const business = await livingBusiness(looking.read, query)
  if (!business) return undefined
  const model = await modelFor(business)
  if (!isReadable(text, model, zone)) return undefined
  const { info, plan } = await planned(looking, { account, model, zone, business, text })
  return {
    hostIds: () => findHostIds(looking, plan),
    among: (reader, hostIds) => hostsAmong(reader, plan, hostIds),
    fields: fieldsToShow(info.query, 'host'),
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

function isReadable(text: string, model: Model, zone: Zone): boolean {
  try {
    readInfo(text, model, zone)
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}
