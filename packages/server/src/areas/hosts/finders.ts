import { sql } from 'kysely'
import { compile } from '../../platform/condition/compile.ts'
import { type Finder, type Found, findersOf, type Leaf } from '../../platform/condition/narrow.ts'
import type { Reader } from '../../platform/storage/index.ts'
import { hostFields } from './fields.ts'
import type { Asked } from './search.ts'

/** What hosts can be found by: where they stand, their addresses, their ids. */
export function hostFinders({ host, condition, where }: Asked, { dialect }: Reader): Found[] {
  const place = { table: 'host', fields: hostFields(host), dialect }
  const finderOf = (leaf: Leaf): Finder | undefined => {
    const { field, test } = leaf
    if (field === 'bk_host_innerip' && test.is === 'listing') {
      const { names } = test
      return { table: 'host_ip', id: 'host', where: (alias) => dialect.among(sql.ref(`${alias}.ip`), names, 'text') }
    }
    if (field === 'bk_host_id' && test.is !== 'unset') {
      return { table: 'host', id: 'id', where: (table) => compile(leaf, { ...place, table }) }
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
  return [...there, ...findersOf(condition, place, finderOf)]
}
