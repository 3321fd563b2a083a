import type { Language, topology } from '@mainline/contract'
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { inTurns } from '../../../common/concurrency/turns.ts'
import { readOwnJson } from '../../../common/own-json.ts'
import { Page } from '../../../http/page.ts'
import { cached, prepared, type Reader, type Storage } from '../../../storage/index.ts'
import { type Model, modelAt, objectName } from '../../model/index.ts'
import type { Business } from '../businesses/hold.ts'
import { chainOf, objectsBelow, underOneChain } from '../levels/chain.ts'
import { builtIn, shownName } from '../nodes/built-in.ts'
import { selectNodes } from '../nodes/nodes.ts'

/** Part of every cache key and ETag: increase it when the rendering of trees changes. */
const renderingVersion = 1

export type TreeNode = topology.TopologyNode

interface TreeQuestion {
  readonly language: Language
  /** Levels below the business; undefined: all. */
  readonly depth: number | undefined
  readonly withDefault: boolean
  /** The root instance; undefined: the business. */
  readonly from?: Top
}

interface Top {
  readonly object: string
  readonly id: number
}

/** A row of the tree query: a node, its parent and its name. */
type TreeRow = readonly [
  id: number,
  object: string,
  instId: number,
  parent: number | null,
  name: string,
  builtIn: number,
]

/** Rows that a thread transfers as one text: copying as many objects holds the event loop far longer. */
const rowsPerPack = 500

/** Rows in packs. Each contains the version at which it was read: one statement reads one snapshot. */
function inPacks(reader: Reader, business: number, which: Expression<SqlBool>, order: RawBuilder<unknown>) {
  const rows = reader
    .selectFrom('node')
    .innerJoin('business', (join) => join.on('business.node', '=', business))
    .innerJoin('account', 'account.name', 'business.account')
    .select(['node.id', 'node.object_id', 'node.inst_id', 'node.parent', 'node.name', 'node.built_in'])
    .select(['business.tree_version', 'account.model_version'])
    .select(sql<number>`row_number() OVER (ORDER BY ${order})`.as('place'))
    .where(which)
  const pack = sql`placed.place / ${sql.lit(rowsPerPack)}`
  const columns = ['id', 'object_id', 'inst_id', 'parent', 'name', 'built_in'].map((name) => sql.ref(`placed.${name}`))
  return reader
    .selectFrom(rows.as('placed'))
    .select(['placed.tree_version', 'placed.model_version'])
    .select((eb) => reader.dialect.arraysText(columns, eb.ref('placed.place')).as('rows'))
    .groupBy(['placed.tree_version', 'placed.model_version', pack])
    .orderBy(pack)
}

const treeRows = prepared((reader, { business }: { business: number }) =>
  inPacks(
    reader,
    business,
    sql<SqlBool>`(node.business = ${business} OR node.id = ${business})`,
    sql`node.name, node.inst_id`,
  ),
)

/** The rows below one instance. The idle pool, directly under the business, follows the instances of a level. */
const subtreeRows = prepared(
  (reader, { business, account, object, id }: { business: number; account: string; object: string; id: number }) =>
    inPacks(
      reader,
      business,
      sql<SqlBool>`node.id IN (
        WITH RECURSIVE under (id) AS (
          SELECT node.id FROM node
          WHERE node.account = ${account} AND node.object_id = ${object} AND node.inst_id = ${id}
            AND (node.business = ${business} OR node.id = ${business})
          UNION ALL
          SELECT node.id FROM under JOIN node ON node.parent = under.id
        )
        SELECT id FROM under
      )`,
      sql`node.object_id = 'set', node.name, node.inst_id`,
    ),
)

const stampOf = (treeVersion: number, modelVersion: number) => `${renderingVersion}.${modelVersion}.${treeVersion}`

/**
 * The tree of a business, or of one instance in it; empty when there is no such instance. Served from the cache if the
 * stamp that this request has read is the one the tree was built at; changes in other businesses do not invalidate it.
 */
export async function treePage(
  storage: Storage,
  account: string,
  business: Business,
  question: TreeQuestion,
): Promise<Page<TreeNode[]>> {
  const key = ['tree of', business.node, ...cacheKeyOf(question)].join(' ')
  const asked = stampOf(business.treeVersion, business.modelVersion)
  return cached(storage.read, key, asked, async (readAt) => {
    const { page, stamp } = await build(storage, account, business, question)
    readAt(stamp)
    return page
  })
}

/** The cache key of a question. The object may be any text, so it comes last before a number. */
const cacheKeyOf = ({ language, depth, withDefault, from }: TreeQuestion) => [
  language,
  depth ?? 'all',
  withDefault,
  ...(from ? [from.object, from.id] : []),
]

async function build(
  storage: Storage,
  account: string,
  business: Business,
  question: TreeQuestion,
): Promise<{ page: Page<TreeNode[]>; stamp: string }> {
  const { packs, first, model } = await underOneChain(storage.read, account, async () => {
    const packs = await (question.from
      ? subtreeRows(storage.heavy, { business: business.node, account, ...question.from })
      : treeRows(storage.heavy, { business: business.node }))
    const [first] = packs
    return { packs, first, model: first && (await modelAt(storage.read, account, first.model_version)) }
  })
  if (!first || !model) {
    // No row tells the version at which this was read, so it is not cached.
    if (question.from) return { page: new Page([]), stamp: 'none' }
    throw new Error(`business ${business.bizId} has gone`)
  }
  // The stamp read with the rows, not the requested one: a tree must never be cached under a newer stamp than its rows have.
  const stamp = stampOf(first.tree_version, first.model_version)
  const tag = `"${[storage.epoch, business.node, stamp, ...cacheKeyOf(question)].join('.')}"`
  const top = question.from ?? { object: 'biz', id: business.bizId }
  const tree = await assemble(model, packs, question, top)
  const page = await Page.from<TreeNode[]>(textOf(model, tree, question.language), tag)
  return { page, stamp }
}

interface Tree {
  readonly root: TreeRow | undefined
  readonly children: ReadonlyMap<number, readonly TreeRow[]>
}

/** Rows ordered by name give children ordered by name. */
async function assemble(
  model: Model,
  packs: readonly { rows: string }[],
  question: TreeQuestion,
  top: Top,
): Promise<Tree> {
  const depths = new Map(['biz', ...objectsBelow(model, 'biz')].map((object, depth) => [object, depth]))
  const deepest = question.depth ?? depths.size
  const children = new Map<number, TreeRow[]>()
  let root: TreeRow | undefined
  await inTurns(packs, ({ rows }) => {
    for (const row of readOwnJson<TreeRow[]>(rows)) {
      const [, object, instId, parent, , kind] = row
      if ((depths.get(object) ?? deepest + 1) > deepest) continue
      if (object === top.object && instId === top.id) root = row
      const isIdlePool = object === 'set' && kind === builtIn.idlePool
      if (parent === null || (isIdlePool && !question.withDefault)) continue
      const siblings = children.get(parent)
      if (siblings) siblings.push(row)
      else children.set(parent, [row])
    }
  })
  return { root, children }
}

/** The JSON text of the tree, in pieces. */
function* textOf(model: Model, { root, children }: Tree, language: Language): Generator<string> {
  const names = new Map(chainOf(model).map((object) => [object.id, objectName(object, language)]))
  function* list(rows: readonly TreeRow[]): Generator<string> {
    let before = '['
    for (const row of rows) {
      const [id, object] = row
      const node = JSON.stringify(treeNode(row, names.get(object) ?? '', language))
      const lower = children.get(id)
      yield before + (lower ? node.slice(0, -'[]}'.length) : node)
      if (lower) {
        yield* list(lower)
        yield '}'
      }
      before = ','
    }
    yield ']'
  }
  yield* list(root ? [root] : [])
}

const treeNode = ([, object, id, , name, kind]: TreeRow, objectNamed: string, language: Language): TreeNode => ({
  default: object === 'module' ? kind : 0,
  bk_inst_id: id,
  bk_inst_name: shownName(object, kind, name, language),
  bk_obj_id: object,
  bk_obj_name: objectNamed,
  child: [],
})

/** The built-in idle pool of a business: the idle module first, then the fault module. */
export async function internalPool(reader: Reader, business: Business, language: Language) {
  const builtIns = (object: string) =>
    selectNodes(reader, object)
      .where('node.business', '=', business.node)
      .where('node.built_in', '<>', 0)
      .orderBy('node.built_in')
      .execute()
  const [[set], modules] = await Promise.all([builtIns('set'), builtIns('module')])
  if (!set) throw new Error(`business ${business.bizId} has no idle pool`)
  return {
    bk_set_id: set.inst_id,
    bk_set_name: shownName('set', set.built_in, set.name, language),
    module: modules.map((module) => ({
      bk_module_id: module.inst_id,
      bk_module_name: shownName('module', module.built_in, module.name, language),
    })),
  }
}
