import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Page } from '@mainline/contract'
import { type Expression, type SqlBool, sql } from 'kysely'
import { compile, orderSql, type Place } from '../../../condition/compile.ts'
import { type Condition, isEverything, needsMatching } from '../../../condition/condition.ts'
import { asTest, findersOf, type Narrowing, narrow } from '../../../condition/narrow.ts'
import { sift } from '../../../condition/sift.ts'
import { type Order, readSort } from '../../../condition/sort.ts'
import { searchByPattern } from '../../../matching/index.ts'
import { bounding, cached, type Reader, type Storage } from '../../../storage/index.ts'
import type { ObjectModel } from '../../model/index.ts'
import { fieldsOf } from './fields.ts'
import { type Node, selectAnyNodes, selectNodes } from './nodes.ts'
import { storedValue } from './record.ts'

interface NodeSearch {
  readonly object: ObjectModel
  /** The rows to search: the instances of a business, the businesses of an account. */
  readonly scope: Expression<SqlBool>
  readonly condition: Condition
  readonly page: Page
  /**
   * For a scope that may be large: the key of its cached count and the stamp that invalidates it. 'anew': no stamp covers
   * the scope, so it is always counted, in a reader thread. Absent for scopes that are small, as the businesses of an account.
   */
  readonly counted?: { readonly key: string; readonly stamp: number } | 'anew'
}

interface NodesFound {
  count: number
  nodes: Node[]
}

/** A condition on up to so many instances is evaluated on the event loop; on more, in a thread, which costs 75 us. */
const maxOnEventLoop = 1_000

/**
 * One statement for the page, and one for the count unless it is cached. In a large scope, a statement before them finds
 * the searchable attribute with the fewest matching rows.
 */
export async function searchNodes(storage: Storage, search: NodeSearch): Promise<NodesFound> {
  const order = readSort(search.page.sort, fieldsOf(search.object))
  if (needsMatching(search.condition)) return searchByPattern(() => matchNodes(storage, search, order))

  const all = isEverything(search.condition)
  // Without a stamp the scope is counted only if the count is the result.
  const total = search.counted === 'anew' && !all ? Number.POSITIVE_INFINITY : await countAll(storage, search)
  const bounded = all && order.length === 0 && search.page.start <= maxOnEventLoop
  const light = search.counted !== 'anew' && (bounded || total <= maxOnEventLoop || !search.counted)
  const narrowing = light ? undefined : await narrowed(storage.heavy, search)
  const few = narrowing?.atMost !== undefined && narrowing.atMost <= maxOnEventLoop
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

/** Matches patterns here, with the same RE2 on both engines, after SQL has applied the other filters. */
async function matchNodes({ heavy }: Storage, search: NodeSearch, order: Order[]): Promise<NodesFound> {
  const narrowing = search.counted && (await narrowed(heavy, search))
  const leading = narrowing?.atMost === undefined ? undefined : narrowing
  const ids = await matchingIds(filtered(heavy, search, leading), search.object, search.condition)
  const { start, limit } = search.page
  // Already ordered by id.
  const [shown, skipped] = order.length === 0 ? [ids.slice(start, start + limit), 0] : [ids, start]
  const nodes = await inOrder(selectScope(heavy, search), placeOf(heavy, search), order)
    .where(heavy.dialect.among(sql.ref('node.id'), shown, 'integer'))
    .limit(bounding(limit))
    .offset(bounding(skipped))
    .execute()
  return { count: ids.length, nodes }
}

/** Candidates per batch of pattern matching: rows from a thread are copied on the event loop. */
const maxIdsPerSearch = 1_000

/** Internal ids, ordered by public id, of the candidates of one object that match the condition, patterns included. */
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
      .limit(bounding(maxIdsPerSearch))
      .execute()
    const passed = await sift(some, {
      condition,
      fields,
      view: (node) => ({ builtIn: node.built_in, value: storedValue(object, node) }),
    })
    for (const { id } of passed) ids.push(id)
    full = some.length === maxIdsPerSearch
    last = some.at(-1)?.inst_id ?? last
    // Inside a change the next statement may run on the event loop, so other requests get a turn here.
    if (full) await nextTurn()
  }
  return ids
}

type Candidates = ReturnType<typeof selectScope>

async function countAll(storage: Storage, search: NodeSearch): Promise<number> {
  const { counted } = search
  const count = async (reader: Reader) => {
    const found = await selectScope(reader, search)
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

/** The scope; for businesses joined with their status. */
const selectScope = (reader: Reader, { object, scope }: NodeSearch) =>
  selectNodes(reader, object.id)
    .$if(object.id === 'biz', (query) =>
      query.innerJoin('business', 'business.node', 'node.id').select('business.status'),
    )
    .where(scope)

/** The scope, limited to the ids that an index found. Not used for businesses, which are few. */
const selectNarrowed = (reader: Reader, { object, scope }: NodeSearch, { ids }: Narrowing) =>
  selectAnyNodes(reader)
    .where(sql<SqlBool>`node.id IN ${ids}`)
    .where(asTest(sql<SqlBool>`node.object_id = ${object.id} AND ${scope}`))

const placeOf = (reader: Reader, { object }: NodeSearch): Place => ({
  table: 'node',
  fields: fieldsOf(object),
  dialect: reader.dialect,
})

function filtered(reader: Reader, search: NodeSearch, narrowing: Narrowing | undefined) {
  const searched = narrowing ? selectNarrowed(reader, search, narrowing) : selectScope(reader, search)
  return searched.where(compile(search.condition, placeOf(reader, search)))
}

/** The page in its order. A scope that is too large to be sorted is read along an index that has the order. */
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
