// From filters on sets, modules and levels to where hosts must stand. There are far fewer modules than hosts.
import { type Expression, type SqlBool, sql } from 'kysely'
import { compile } from '../../platform/condition/compile.ts'
import { type Condition, isEverything, needsMatching } from '../../platform/condition/condition.ts'
import type { Reader } from '../../platform/storage/index.ts'
import { type Model, type ObjectModel, objectOf } from '../model/index.ts'
import { below, fieldsOf, inBusiness, matchingIds, selectNodes } from '../topology/index.ts'
import type { HostQuery } from './query.ts'
import type { HostSearch, Looking } from './search.ts'

/** In any of these sets, or of these modules. */
export interface Standing {
  readonly column: 'set_node' | 'module'
  readonly nodes: readonly number[]
}

/** Undefined where nothing is said. */
export interface Where {
  readonly businesses: readonly number[] | undefined
  readonly areas: readonly number[] | undefined
  readonly standing: Standing | undefined
}

/**
 * Where hosts must be. Remembered under the version of the business, which counts every change of its sets, modules and
 * levels; across businesses it is found anew.
 */
export async function findWhere(storage: Looking, search: HostSearch): Promise<Where | 'nowhere'> {
  const { account, model, business, query } = search
  const { biz, plat } = query.conditions
  const living = sql<SqlBool>`node.account = ${account} AND business.living_name IS NOT NULL`
  const ofAccount = sql<SqlBool>`node.account = ${account}`
  const find = (object: string, scope: Expression<SqlBool>, condition: Condition) =>
    isEverything(condition) ? undefined : matchingNodes(storage.heavy, objectOf(model, object), scope, condition)
  const [matching, areas, standing] = await Promise.all([
    find('biz', living, biz),
    find('plat', ofAccount, plat),
    findStanding(storage.heavy, model, business ? inBusiness(business) : ofAccount, query),
  ])
  const businesses = business === undefined ? matching : undefined
  if (business !== undefined && matching && !matching.includes(business)) return 'nowhere'
  if ([businesses, areas, standing?.nodes].some((nodes) => nodes?.length === 0)) return 'nowhere'
  return { businesses, areas, standing }
}

async function findStanding(
  reader: Reader,
  model: Model,
  scope: Expression<SqlBool>,
  { conditions, levels }: HostQuery,
): Promise<Standing | undefined> {
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

/** Sets below instances of levels. The idle pool is below none. */
async function setsUnder(
  reader: Reader,
  model: Model,
  scope: Expression<SqlBool>,
  levels: ReadonlyMap<string, Condition>,
): Promise<number[]> {
  const present = new Set(below(model, 'biz'))
  const matching = [...levels].filter(([object]) => present.has(object))
  const found = await Promise.all(
    matching.map(([object, condition]) => matchingNodes(reader, objectOf(model, object), scope, condition)),
  )
  // One statement, whatever levels there are by now: one that comes or goes meanwhile must not hide a set.
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

/** Internal ids of the instances that meet the condition. */
export async function matchingNodes(
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
