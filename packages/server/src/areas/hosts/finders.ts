import { sql } from 'kysely'
import { compile } from '../../platform/condition/compile.ts'
import type { Leaf } from '../../platform/condition/condition.ts'
import { type Finder, type Finding, findersOf } from '../../platform/condition/narrow.ts'
import type { Reader } from '../../platform/storage/index.ts'
import { hostFields } from './fields.ts'
import type { Asked } from './search.ts'

/** What hosts can be found by: where they stand, their addresses, their ids, and searchable attributes. */
export function hostFinders({ host, condition, where }: Asked, { dialect }: Reader): Finding[] {
  const place = { table: 'host', fields: hostFields(host), dialect }
  const ownFinder = (leaf: Leaf): Finder | undefined => {
    const { field, test } = leaf
    if (field === 'bk_host_innerip' && test.is === 'listing') {
      return {
        table: 'host_ip',
        id: 'host',
        where: (alias) => dialect.among(sql.ref(`${alias}.ip`), test.names, 'text'),
      }
    }
    if (field === 'bk_host_id' && test.is !== 'unset') {
      return { table: 'host', id: 'id', where: (alias) => compile(leaf, { ...place, table: alias }) }
    }
    return undefined
  }
  const { standing } = where
  const there: Finder[] = standing
    ? [
        {
          table: 'placement',
          id: 'host',
          where: (alias) => dialect.among(sql.ref(`${alias}.${standing.column}`), standing.nodes, 'integer'),
        },
      ]
    : []
  return [...there, ...findersOf(condition, place, ownFinder)]
}
