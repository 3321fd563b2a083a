import { type Expression, type SqlBool, sql } from 'kysely'
import { present } from '../../../common/present.ts'
import { compile, orderSql, type Place } from '../../../condition/compile.ts'
import { type Condition, isEverything } from '../../../condition/condition.ts'
import { asTest, type Narrowing } from '../../../condition/narrow.ts'
import { bounding, type Reader } from '../../../storage/index.ts'
import type { ObjectModel } from '../../model/index.ts'
import { hostFields } from '../fields.ts'
import { hostColumns } from '../rows.ts'
import { isAssociated } from './associated.ts'
import type { HostSearch, Paging } from './request.ts'
import type { PlacementFilter, Where } from './where.ts'

export interface ResolvedSearch {
  readonly search: HostSearch
  readonly where: Where
  readonly host: ObjectModel
  readonly condition: Condition
}

/** All matching hosts, limited to candidates found by an index, if any. */
export function filtered(
  reader: Reader,
  { search, host, condition, where }: ResolvedSearch,
  narrowing: Narrowing | undefined,
) {
  const { dialect } = reader
  const { account, business } = search
  const place: Place = { table: 'host', fields: hostFields(host), dialect }
  const scope =
    business === undefined ? sql<SqlBool>`host.account = ${account}` : sql<SqlBool>`host.business = ${business}`
  const among = (column: string, list: readonly number[]) => dialect.among(sql.ref(column), list, 'integer')
  const { businesses, areas, placement, associated } = where
  const hosts = reader
    .selectFrom('host')
    .$if(narrowing !== undefined, (query) => query.where(sql<SqlBool>`host.id IN ${narrowing?.ids}`))
    .where(narrowing ? asTest(scope) : scope)
    .$if(businesses !== undefined, (query) => query.where(among('host.business', businesses ?? [])))
    .$if(areas !== undefined, (query) => query.where(among('host.cloud', areas ?? [])))
    .$if(placement !== undefined && !narrowing, (query) => query.where(isPlaced(present(placement), reader)))
    .$if(!isEverything(condition), (query) => query.where(compile(condition, place)))
  return associated.reduce((query, asked) => query.where(isAssociated(asked, dialect)), hosts)
}

/** Whether one of the host's modules satisfies the placement. */
function isPlaced({ column, nodes }: PlacementFilter, { dialect }: Reader): Expression<SqlBool> {
  const isThere = dialect.among(sql.ref(`placement.${column}`), nodes, 'integer')
  return sql<SqlBool>`EXISTS (SELECT 1 FROM placement WHERE placement.host = host.id AND ${isThere})`
}

/** With more matches than are counted, scanning hosts in the requested order finds a page sooner. */
export const leading = (narrowing: Narrowing | undefined): Narrowing | undefined =>
  narrowing?.atMost === undefined ? undefined : narrowing

export const countOf = (reader: Reader, asked: ResolvedSearch, narrowing: Narrowing | undefined) =>
  filtered(reader, asked, narrowing).select((eb) => eb.fn.countAll<number>().as('count'))

export function pageOf(
  reader: Reader,
  asked: ResolvedSearch,
  narrowing: Narrowing | undefined,
  { start, limit, after }: Paging,
) {
  const { order } = asked.search
  const place: Place = { table: 'host', fields: hostFields(asked.host), dialect: reader.dialect }
  let query = filtered(reader, asked, narrowing)
    .select(hostColumns)
    .$if(after !== undefined, (each) => each.where('host.host_id', '>', after ?? 0))
  for (const { value, as } of orderSql(order, place)) query = query.orderBy(value, as)
  return query
    .orderBy('host.host_id')
    .limit(bounding(limit))
    .offset(bounding(after === undefined ? start : 0))
}
