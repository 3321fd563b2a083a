import { sql } from 'kysely'
import { compile } from '../../../condition/compile.ts'
import type { Condition, Leaf } from '../../../condition/condition.ts'
import { type Finder, type Finding, findersOf } from '../../../condition/narrow.ts'
import type { Reader } from '../../../storage/index.ts'
import { hostFields } from '../fields.ts'
import { finderOfAssociated } from './associated.ts'
import type { ResolvedSearch } from './statements.ts'

/** Ways to find candidate hosts by their addresses, ids, and searchable attributes. */
export function conditionFinders({ host, condition }: ResolvedSearch, { dialect }: Reader): Finding[] {
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
  return findersOf(condition, place, ownFinder)
}

/** Those, and placement and associations. */
export function hostFinders(asked: ResolvedSearch, reader: Reader): Finding[] {
  const { dialect } = reader
  const { placement } = asked.where
  const there: Finder[] = placement
    ? [
        {
          table: 'placement',
          id: 'host',
          where: (alias) => dialect.among(sql.ref(`${alias}.${placement.column}`), placement.nodes, 'integer'),
        },
      ]
    : []
  const associated = asked.where.associated.map((each) => finderOfAssociated(each, dialect))
  return [...there, ...associated, ...conditionFinders(asked, reader)]
}

/** Whether the condition limits hosts to a small number of ids or addresses, by which they are then found. */
export function namesHosts(condition: Condition, atMost: number): boolean {
  if ('all' in condition) return condition.all.some((part) => namesHosts(part, atMost))
  if (!('field' in condition)) return false
  const { field, test } = condition
  if (field === 'bk_host_innerip') return test.is === 'listing' && test.names.length <= atMost
  return field === 'bk_host_id' && test.is === 'among' && test.values.length <= atMost
}
