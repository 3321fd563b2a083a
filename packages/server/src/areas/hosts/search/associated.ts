// Filters on instances that hosts are associated with.
import { type Expression, type SqlBool, sql } from 'kysely'
import type { Condition } from '../../../condition/condition.ts'
import type { Finding } from '../../../condition/narrow.ts'
import type { Dialect } from '../../../storage/index.ts'
import type { ObjectAssociation } from '../../associations/index.ts'

/** The host is associated with an instance of the object that meets the condition. */
export interface AssociatedFilter {
  readonly object: string
  readonly associations: readonly ObjectAssociation[]
  readonly condition: Condition
}

/** The associations by the end at which the host is, and the instances at the other end. */
export interface AssociatedNodes {
  readonly source: readonly number[]
  readonly target: readonly number[]
  readonly nodes: readonly number[]
}

const sides = [
  ['source', 'target'],
  ['target', 'source'],
] as const

/** The ids of associations in which the host is the source, and in which it is the target. */
export function associationIds({ associations }: AssociatedFilter): Pick<AssociatedNodes, 'source' | 'target'> {
  const idsWith = (side: 'source_object' | 'target_object') =>
    associations.filter((each) => each[side] === 'host').map(({ id }) => id)
  return { source: idsWith('source_object'), target: idsWith('target_object') }
}

/** Whether a node is associated with any host. */
export function isAtHost(
  { source, target }: Pick<AssociatedNodes, 'source' | 'target'>,
  dialect: Dialect,
): Expression<SqlBool> {
  const ends = { source, target }
  const tests = sides.map(
    ([here, there]) =>
      sql`EXISTS (SELECT 1 FROM instance_association AS other WHERE ${sql.ref(`other.${there}_node`)} = node.id
        AND ${dialect.among(sql.ref('other.association'), ends[here], 'integer')})`,
  )
  return sql<SqlBool>`(${sql.join(tests, sql` OR `)})`
}

/** Finds the hosts at the other ends by an index. */
export const finderOfAssociated = (asked: AssociatedNodes, dialect: Dialect): Finding => ({
  any: sides.map(([here, there]) => ({
    table: 'instance_association',
    id: `${here}_host`,
    where: (alias) => areEnds(asked, dialect, alias, here, there),
  })),
})

/** Whether a host is associated with one of the instances. */
export function isAssociated(asked: AssociatedNodes, dialect: Dialect): Expression<SqlBool> {
  const tests = sides.map(
    ([here, there]) =>
      sql`EXISTS (SELECT 1 FROM instance_association AS asso WHERE ${sql.ref(`asso.${here}_host`)} = host.id
        AND ${areEnds(asked, dialect, 'asso', here, there)})`,
  )
  return sql<SqlBool>`(${sql.join(tests, sql` OR `)})`
}

type Side = 'source' | 'target'

const areEnds = (asked: AssociatedNodes, dialect: Dialect, alias: string, here: Side, there: Side) =>
  sql<SqlBool>`${dialect.among(sql.ref(`${alias}.association`), asked[here], 'integer')}
    AND ${dialect.among(sql.ref(`${alias}.${there}_node`), asked.nodes, 'integer')}`
