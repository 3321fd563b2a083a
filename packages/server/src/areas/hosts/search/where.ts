// Resolves filters on sets, modules and levels to a placement condition. There are far fewer modules than hosts.
import { type Expression, type SqlBool, sql } from 'kysely'
import { compile } from '../../../condition/compile.ts'
import { type Condition, isEverything, needsMatching } from '../../../condition/condition.ts'
import type { Reader } from '../../../storage/index.ts'
import { isLevel, type Model, type ObjectModel, objectOf } from '../../model/index.ts'
import {
  detachedIn,
  fieldsOf,
  inBusiness,
  inLivingBusinesses,
  matchingIds,
  objectsBelow,
  selectNodes,
} from '../../topology/index.ts'
import { type AssociatedFilter, type AssociatedNodes, associationIds, isAtHost } from './associated.ts'
import type { HostQuery } from './query.ts'
import type { HostSearch, SearchReaders } from './request.ts'

/** In one of these sets, or of these modules. */
export interface PlacementFilter {
  readonly column: 'set_node' | 'module'
  readonly nodes: readonly number[]
}

/** Undefined without such filters. */
export interface Where {
  readonly businesses: readonly number[] | undefined
  readonly areas: readonly number[] | undefined
  readonly placement: PlacementFilter | undefined
  readonly associated: readonly AssociatedNodes[]
}

/**
 * The placement that the filters require. Cached under the version of the business, which every change of its sets, modules and levels increases;
 * across businesses it is not cached.
 */
export async function findWhere(storage: SearchReaders, search: HostSearch): Promise<Where | 'nowhere'> {
  const { account, model, business, query } = search
  const { biz, plat } = query.conditions
  const living = sql<SqlBool>`node.account = ${account} AND business.living_name IS NOT NULL`
  const ofAccount = sql<SqlBool>`node.account = ${account}`
  const find = (object: string, scope: Expression<SqlBool>, condition: Condition) =>
    isEverything(condition) ? undefined : matchingNodes(storage.heavy, objectOf(model, object), scope, condition)
  const [matching, areas, placement, associated] = await Promise.all([
    find('biz', living, biz),
    find('plat', ofAccount, plat),
    findPlacementFilter(storage.heavy, model, business ? inBusiness(business) : ofAccount, query),
    Promise.all(query.associated.map((filter) => findAssociated(storage.heavy, search, filter))),
  ])
  const businesses = business === undefined ? matching : undefined
  if (business !== undefined && matching && !matching.includes(business)) return 'nowhere'
  const lists = [businesses, areas, placement?.nodes, ...associated.map(({ nodes }) => nodes)]
  if (lists.some((nodes) => nodes?.length === 0)) return 'nowhere'
  return { businesses, areas, placement, associated }
}

/** Of the instances that meet the condition, only those that are associated with a host. */
async function findAssociated(
  reader: Reader,
  { account, model }: HostSearch,
  filter: AssociatedFilter,
): Promise<AssociatedNodes> {
  const object = objectOf(model, filter.object)
  const ids = associationIds(filter)
  const scope = isLevel(object) ? inLivingBusinesses(account) : detachedIn(account)
  const isCandidate = sql<SqlBool>`${scope} AND ${isAtHost(ids, reader.dialect)}`
  return { ...ids, nodes: await matchingNodes(reader, object, isCandidate, filter.condition) }
}

async function findPlacementFilter(
  reader: Reader,
  model: Model,
  scope: Expression<SqlBool>,
  { conditions, levels }: HostQuery,
): Promise<PlacementFilter | undefined> {
  let sets: readonly number[] | undefined = levels && (await setsUnder(reader, model, scope, levels))
  if (!isEverything(conditions.set)) {
    const matching = await matchingNodes(reader, objectOf(model, 'set'), scope, conditions.set)
    const among = sets && new Set(sets)
    sets = among ? matching.filter((id) => among.has(id)) : matching
  }
  if (isEverything(conditions.module)) return sets && { column: 'set_node', nodes: sets }
  const inSets = sets
    ? sql<SqlBool>`${scope} AND ${reader.dialect.among(sql.ref('node.parent'), sets, 'integer')}`
    : scope
  return {
    column: 'module',
    nodes: await matchingNodes(reader, objectOf(model, 'module'), inSets, conditions.module),
  }
}

/** Sets below instances of levels. The idle pool is below none of them. */
async function setsUnder(
  reader: Reader,
  model: Model,
  scope: Expression<SqlBool>,
  levels: ReadonlyMap<string, Condition>,
): Promise<number[]> {
  const present = new Set(objectsBelow(model, 'biz'))
  const matching = [...levels].filter(([object]) => present.has(object))
  const found = await Promise.all(
    matching.map(([object, condition]) => matchingNodes(reader, objectOf(model, object), scope, condition)),
  )
  // One statement for any number of levels, so that a level inserted or removed concurrently cannot hide a set.
  const tops = reader.dialect.among(sql.ref('node.id'), found.flat(), 'integer')
  const sets = await reader
    .selectFrom(
      sql<{ id: number; object_id: string }>`(
        WITH RECURSIVE under (id, object_id) AS (
          SELECT node.id, node.object_id FROM node WHERE ${tops}
          UNION
          SELECT node.id, node.object_id FROM under JOIN node ON node.parent = under.id WHERE under.object_id <> 'set'
        )
        SELECT id, object_id FROM under
      )`.as('under'),
    )
    .select('under.id')
    .where('under.object_id', '=', 'set')
    .execute()
  return sets.map((set) => set.id)
}

/** Internal ids of the instances that match. */
async function matchingNodes(
  reader: Reader,
  object: ObjectModel,
  scope: Expression<SqlBool>,
  condition: Condition,
): Promise<number[]> {
  const fields = fieldsOf(object)
  const query = selectNodes(reader, object.id)
    .$if(object.id === 'biz', (each) =>
      each.innerJoin('business', 'business.node', 'node.id').select('business.status'),
    )
    .where(scope)
    .where(compile(condition, { table: 'node', fields, dialect: reader.dialect }))
  if (needsMatching(condition)) return matchingIds(query, object, condition)
  const rows = await query.clearSelect().select('node.id').execute()
  return rows.map((row) => row.id)
}
