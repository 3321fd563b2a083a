import { sql } from 'kysely'
import { everything } from '../../../condition/condition.ts'
import type { Narrowing } from '../../../condition/narrow.ts'
import { sift } from '../../../condition/sift.ts'
import type { Reader, Storage } from '../../../storage/index.ts'
import { hostFields } from '../fields.ts'
import { storedHostValue } from '../record.ts'
import { type Host, hostColumns } from '../rows.ts'
import type { Explain } from './explain.ts'
import type { Paging } from './request.ts'
import { filtered, pageOf, type ResolvedSearch } from './statements.ts'

export interface HostsFound {
  count: number
  hosts: Host[]
}

/** Candidates per batch of pattern matching: rows from a thread are copied on the event loop. */
const candidatesPerRead = 1_000

export async function matchHosts(
  { heavy }: Storage,
  asked: ResolvedSearch,
  narrowing: Narrowing | undefined,
  paging: Paging,
  run: Explain,
): Promise<HostsFound> {
  const matching = (await matchingHosts(heavy, asked, narrowing, run)).map((each) => each.id)
  const { dialect } = heavy
  const ids = sql`SELECT known.id FROM host AS known WHERE ${dialect.among(sql.ref('known.id'), matching, 'integer')}`
  const known: Narrowing = { atMost: matching.length, ids: dialect.foundFirst(ids) }
  const page = pageOf(heavy, { ...asked, condition: everything }, known, paging)
  return { count: matching.length, hosts: await run('page', page) }
}

/** Matches patterns here, with the same RE2 on both engines, after SQL has applied the other filters. */
export async function matchingHosts(
  heavy: Reader,
  asked: ResolvedSearch,
  narrowing: Narrowing | undefined,
  run: Explain,
): Promise<Pick<Host, 'id' | 'host_id'>[]> {
  const matching: Pick<Host, 'id' | 'host_id'>[] = []
  for (let last = 0, full = true; full; ) {
    const next = filtered(heavy, asked, narrowing)
      .select(hostColumns)
      .where('host.id', '>', last)
      .orderBy('host.id')
      .limit(candidatesPerRead)
    const candidates = await run('candidates', next)
    const passed = await siftHosts(asked, candidates)
    matching.push(...passed.map(({ id, host_id }) => ({ id, host_id })))
    full = candidates.length === candidatesPerRead
    last = candidates.at(-1)?.id ?? last
  }
  return matching
}

export const siftHosts = ({ host, condition }: ResolvedSearch, candidates: readonly Host[]): Promise<Host[]> =>
  sift(candidates, {
    condition,
    fields: hostFields(host),
    view: (each) => ({ builtIn: 0, value: storedHostValue(host, each) }),
  })
