// The tables of the past, by kind of row.
import type { Reader } from '../../../../storage/index.ts'
import type { RowKind } from '../../recorded/index.ts'
import { type Edge, edges, type Version, type VersionTable } from '../version.ts'
import { hostVersions } from './hosts.ts'
import { nodeVersions } from './nodes.ts'
import { placementVersions } from './placements.ts'
import { rowVersionsOf } from './rows.ts'

export const versionsOf = (kind: RowKind): VersionTable => {
  if (kind === 'node') return nodeVersions
  if (kind === 'host') return hostVersions
  return kind === 'placement' ? placementVersions : rowVersionsOf(kind)
}

/** The objects of an account as they are at an edge: a handful. */
export async function objectVersions(reader: Reader, account: string, edge: Edge): Promise<Version[]> {
  const rows = await reader
    .selectFrom('past_row')
    .select('key')
    .where('account', '=', account)
    .where('kind', '=', 'object')
    .where(edges[edge].column, '=', edges[edge].value)
    .execute()
  return versionsOf('object').read(
    reader,
    account,
    rows.map(({ key }) => key),
    edge,
  )
}
