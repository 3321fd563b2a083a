import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Page } from '@mainline/contract'
import { type Expression, type SqlBool, sql } from 'kysely'
import { compile, orderSql, type Place } from '../../platform/condition/compile.ts'
import { type Condition, isEverything, needsMatching } from '../../platform/condition/condition.ts'
import { meets } from '../../platform/condition/evaluate.ts'
import { asTest, findersOf, type Narrowing, narrow } from '../../platform/condition/narrow.ts'
import { sift } from '../../platform/condition/sift.ts'
import { type Order, readSort } from '../../platform/condition/sort.ts'
import { bounding, cached, type Reader, type Storage } from '../../platform/storage/index.ts'
import type { ObjectModel } from '../model/index.ts'
import { fieldsOf } from './fields.ts'
import { type Node, selectAnyNodes, selectNodes } from './nodes.ts'
import { storedValue } from './record.ts'

export interface NodeSearch {
  readonly object: ObjectModel
  /** What is searched at all: the instances of a business, the businesses of an account. */
  readonly scope: Expression<SqlBool>
  readonly condition: Condition
  readonly page: Page
  /**
   * For a scope that may be large: a key under which its count is remembered, and a stamp that changes whenever any of it
   * does; `anew` when nothing tells that, and then all of it is read in a thread. Without it the scope is small by nature,
   * as the businesses of an account are.
   */
  readonly counted?: { readonly key: string; readonly stamp: number } | 'anew'
}

export interface NodesFound {
  count: number
  nodes: Node[]
}

/** Up to so many instances a condition is tried on the event loop; beyond, in a thread. A thread costs 75 microseconds. */
const small = 1_000

/**
 * One statement for the page, and one for the count unless it is remembered. In a large scope, one before them that asks which
 * searchable attribute narrows it most.
 */
export async function searchNodes(storage: Storage, search: NodeSearch): Promise<NodesFound> {
  const order = readSort(search.page.sort, fieldsOf(search.object))
  if (needsMatching(search.condition)) return matchNodes(storage, search, order)

  const all = isEverything(search.condition)
  // Without a stamp the whole scope would be counted every time: only when that is the answer.
  const total = search.counted === 'anew' && !all ? Number.POSITIVE_INFINITY : await countAll(storage, search)
  const bounded = all && order.length === 0 && search.page.start <= small
  const light = search.counted !== 'anew' && (bounded || total <= small || !search.counted)
  const narrowing = light ? undefined : await narrowed(storage.heavy, search)
  const few = narrowing?.atMost !== undefined && narrowing.atMost <= small
  const reader = light || few ? storage.read : storage.heavy
  const [count, nodes] = await Promise.all([
    all ? total : countMatching(reader, search, narrowing),
    pageOf(reader, search, order, narrowing)
      .limit(bounding(search.page.limit))
      .offset(bounding(search.page.start))
      .execute(),
  ])
  return { count, nodes }
}

const narrowed = (reader: Reader, search: NodeSearch): Promise<Narrowing | undefined> =>
  narrow(reader, findersOf(search.condition, placeOf(reader, search)))

/** Patterns are matched here, on both engines by the same RE2, after SQL has narrowed the rows by the other filters. */
async function matchNodes({ heavy }: Storage, search: NodeSearch, order: Order[]): Promise<NodesFound> {
  const narrowing = search.counted && (await narrowed(heavy, search))
  const leading = narrowing?.atMost === undefined ? undefined : narrowing
  const ids = await matchingIds(filtered(heavy, search, leading), search.object, search.condition)
  const { start, limit } = search.page
  // In order of id they are already.
  const [shown, skipped] = order.length === 0 ? [ids.slice(start, start + limit), 0] : [ids, start]
  const nodes = await inOrder(everything(heavy, search), placeOf(heavy, search), order)
    .where(heavy.dialect.among(sql.ref('node.id'), shown, 'integer'))
    .limit(bounding(limit))
    .offset(bounding(skipped))
    .execute()
  return { count: ids.length, nodes }
}

/** Candidates taken at a time while patterns are tried on them. */
const atOnce = 5_000

/** Internal ids, in order of public ones, of the candidates that meet the condition: patterns, too. All are of one object. */
export async function matchingIds(
  candidates: Candidates,
  object: ObjectModel,
  condition: Condition,
): Promise<number[]> {
  const fields = fieldsOf(object)
  const ids: number[] = []
  // The default cloud area has the id 0.
  for (let last = -1, full = true; full; ) {
    const some = await candidates
      .where('node.inst_id', '>', last)
      .orderBy('node.inst_id')
      .limit(bounding(atOnce))
      .execute()
    const passed = await sift(some, (node) =>
      meets({ builtIn: node.built_in, value: storedValue(object, node) }, condition, fields),
    )
    for (const { id } of passed) ids.push(id)
    full = some.length === atOnce
    last = some.at(-1)?.inst_id ?? last
    // Inside a change the next statement may run on the event loop.
    if (full) await nextTurn()
  }
  return ids
}

type Candidates = ReturnType<typeof everything>

async function countAll(storage: Storage, search: NodeSearch): Promise<number> {
  const { counted } = search
  const count = async (reader: Reader) => {
    const found = await everything(reader, search)
      .clearSelect()
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return found.count
  }
  if (!counted) return count(storage.read)
  if (counted === 'anew') return count(storage.heavy)
  return cached(storage.read, counted.key, counted.stamp, () => count(storage.heavy))
}

async function countMatching(reader: Reader, search: NodeSearch, narrowing: Narrowing | undefined): Promise<number> {
  const { count } = await filtered(reader, search, narrowing)
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** All that is searched. Businesses are searched with their status, which is kept apart. */
const everything = (reader: Reader, { object, scope }: NodeSearch) =>
  selectNodes(reader, object.id)
    .$if(object.id === 'biz', (query) =>
      query.innerJoin('business', 'business.node', 'node.id').select('business.status'),
    )
    .where(scope)

/** The same, looked for among these ids only. Businesses are never so many. */
const everythingIn = (reader: Reader, { object, scope }: NodeSearch, { ids }: Narrowing) =>
  selectAnyNodes(reader)
    .where(sql<SqlBool>`node.id IN ${ids}`)
    .where(asTest(sql<SqlBool>`node.object_id = ${object.id} AND ${scope}`))

const placeOf = (reader: Reader, { object }: NodeSearch): Place => ({
  table: 'node',
  fields: fieldsOf(object),
  dialect: reader.dialect,
})

function filtered(reader: Reader, search: NodeSearch, narrowing: Narrowing | undefined) {
  const searched = narrowing ? everythingIn(reader, search, narrowing) : everything(reader, search)
  return searched.where(compile(search.condition, placeOf(reader, search)))
}

/** In order. What is too many to be sorted is better walked in the order that the scope has. */
const pageOf = (reader: Reader, search: NodeSearch, order: Order[], narrowing: Narrowing | undefined) =>
  inOrder(
    filtered(reader, search, narrowing?.atMost === undefined ? undefined : narrowing),
    placeOf(reader, search),
    order,
  )

function inOrder(nodes: Candidates, place: Place, order: Order[]) {
  let query = nodes
  for (const { value, as } of orderSql(order, place)) query = query.orderBy(value, as)
  return query.orderBy('node.inst_id')
}

export const inBusiness = (business: number): Expression<SqlBool> => sql<SqlBool>`node.business = ${business}`

export const under = (parent: number): Expression<SqlBool> => sql<SqlBool>`node.parent = ${parent}`

/** Instances of a level in all businesses that are not archived. */
export const inLivingBusinesses = (account: string): Expression<SqlBool> =>
  sql<SqlBool>`node.account = ${account} AND node.business IN (SELECT business.node FROM business WHERE business.account = ${account} AND business.living_name IS NOT NULL)`
