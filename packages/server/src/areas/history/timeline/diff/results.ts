// The results of a saved query at two moments.
import { problem } from '@mainline/contract'
import type { Caller } from '../../../../http/route.ts'
import type { Storage } from '../../../../storage/index.ts'
import { modelAt } from '../../../model/index.ts'
import { refuseUnsearchable } from '../../../privileges/index.ts'
import { type QueryRights, type QueryRow, queryOf, resultOf } from '../../../queries/run/index.ts'
import type { PastViews } from '../../past/index.ts'
import { inSteps } from '../placements.ts'
import type { LogRange } from '../range.ts'

export interface ResultsOfQuery {
  /** The public ids of the hosts in it at each moment. */
  readonly earlier: ReadonlySet<number>
  readonly later: ReadonlySet<number>
  /** The addresses of a host that is in one of them only. */
  nameOf(host: number): string
}

export interface QueryPast {
  readonly views: PastViews
  /** Callers are judged by it. */
  readonly present: Storage
  readonly rights: QueryRights
}

/** The query as it was defined at the later moment. */
export async function queryThen({ views }: QueryPast, { account }: Caller, { upTo }: LogRange, id: string) {
  const past = await views.at(account, `position:${upTo.position}`)
  const query = await queryOf(past.storage.read, account, id)
  await past.confirm()
  if (!query) throw problem('notFound')
  return query
}

/** One definition is run at both moments, so that only hosts and their places make a difference. */
export async function resultsAt(
  parts: QueryPast,
  actor: Caller,
  { after, upTo }: LogRange,
  query: QueryRow,
): Promise<ResultsOfQuery> {
  const [earlier, later] = [
    await hostsIn(parts, actor, query, after.position),
    await hostsIn(parts, actor, query, upTo.position),
  ]
  const names = new Map([
    ...(await earlier.namesOf([...earlier.ids.difference(later.ids)])),
    ...(await later.namesOf([...later.ids.difference(earlier.ids)])),
  ])
  return { earlier: earlier.ids, later: later.ids, nameOf: (host) => names.get(host) ?? '' }
}

/** No hosts while the query could not be run: its business was archived, or it names attributes that did not exist. */
async function hostsIn({ views, present, rights }: QueryPast, actor: Caller, query: QueryRow, position: number) {
  const { account } = actor
  const { storage, confirm } = await views.at(account, `position:${position}`)
  const { lacks, ...reading } = rights
  const result = await resultOf(storage, query, reading, ({ modelVersion }) =>
    modelAt(storage.read, account, modelVersion),
  )
  if (result) await refuseUnsearchable(present, actor, result.behind, lacks)
  const ids = new Set(await result?.hostIds())
  await confirm()
  return { ids, namesOf: (hosts: readonly number[]) => namesIn(storage, account, hosts) }
}

async function namesIn({ heavy }: Storage, account: string, hosts: readonly number[]): Promise<[number, string][]> {
  const names: [number, string][] = []
  for (const part of inSteps(hosts)) {
    const rows = await heavy
      .selectFrom('host')
      .select(['host_id', 'inner_ip'])
      .where('account', '=', account)
      .where((eb) => heavy.dialect.among(eb.ref('host_id'), part, 'integer'))
      .execute()
    for (const { host_id: host, inner_ip: name } of rows) names.push([host, name])
  }
  return names
}
