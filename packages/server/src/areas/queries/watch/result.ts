import { Problem, problem } from '@mainline/contract'
import type { Tx } from '../../../storage/index.ts'
import type { SearchReaders } from '../../hosts/index.ts'
import { modelIn } from '../../model/index.ts'
import { joinBusiness } from '../../topology/index.ts'
import { type QueryReading, type QueryRow, type Result, resultOf } from '../run/index.ts'
import { allMembers, membersAmong } from './store.ts'

/**
 * The result inside a change. The business is locked in shared mode: placements are read by several statements, and a host
 * that moves in between must not seem to leave.
 */
export async function heldResult(tx: Tx, query: QueryRow, reading: QueryReading): Promise<Result | undefined> {
  try {
    await joinBusiness(tx, query.biz_id, () => problem('notFound'))
  } catch (error) {
    if (error instanceof Problem && error.kind === 'notFound') return undefined
    throw error
  }
  return resultOf({ read: tx, heavy: tx }, query, reading, () => modelIn(tx))
}

/** Up to so many hosts are evaluated on the event loop; a thread costs 75 us. */
const maxOnEventLoop = 100

/** Hosts, of these or of all, whose membership in the result differs from the stored members. */
export async function changedMembers(
  looking: SearchReaders,
  query: string,
  result: Result | undefined,
  hosts: readonly number[] | 'all',
): Promise<number[]> {
  if (hosts === 'all') return between(await result?.hostIds(), await allMembers(looking.heavy, query))
  const reader = hosts.length <= maxOnEventLoop ? looking.read : looking.heavy
  const found = await result?.among(reader, hosts)
  return between(
    found?.map((host) => host.host_id),
    await membersAmong(reader, query, hosts),
  )
}

const between = (found: readonly number[] | undefined, members: readonly number[]): number[] =>
  [...new Set(found).symmetricDifference(new Set(members))].sort((a, b) => a - b)
