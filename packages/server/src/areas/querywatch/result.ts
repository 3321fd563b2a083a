import { Problem, problem } from '@mainline/contract'
import type { Tx } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import type { Looking } from '../hosts/index.ts'
import { modelIn } from '../model/index.ts'
import { type QueryRow, type Result, resultOf } from '../queries/index.ts'
import { joinBusiness } from '../topology/index.ts'
import { allMembers, membersAmong } from './store.ts'

/**
 * The result inside a change. The business is kept as it is meanwhile: where hosts must stand and where they do stand are
 * read one after the other, and a host that moves between must not seem to leave.
 */
export async function heldResult(tx: Tx, query: QueryRow, zone: Zone): Promise<Result | undefined> {
  try {
    await joinBusiness(tx, query.biz_id, () => problem('notFound'))
  } catch (error) {
    if (error instanceof Problem && error.kind === 'notFound') return undefined
    throw error
  }
  return resultOf({ read: tx, heavy: tx }, query, zone, () => modelIn(tx))
}

/** Hosts looked at on the event loop; a thread costs 75 microseconds. */
const few = 100

/** Hosts, of these or of all, that have entered the result or left it since members were last settled. */
export async function differing(
  looking: Looking,
  query: string,
  result: Result | undefined,
  hosts: readonly number[] | 'all',
): Promise<number[]> {
  if (hosts === 'all') return between(await result?.hostIds(), await allMembers(looking.heavy, query))
  const reader = hosts.length <= few ? looking.read : looking.heavy
  const found = await result?.among(reader, hosts)
  return between(
    found?.map((host) => host.host_id),
    await membersAmong(reader, query, hosts),
  )
}

const between = (found: readonly number[] | undefined, members: readonly number[]): number[] =>
  [...new Set(found).symmetricDifference(new Set(members))].sort((a, b) => a - b)
