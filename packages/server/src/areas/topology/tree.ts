import type { Language } from '@mainline/contract'
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { Page } from '../../platform/http/page.ts'
import { cached, prepared, type Reader, type Storage } from '../../platform/storage/index.ts'
import { inTurns } from '../../platform/turns.ts'
import { type Model, modelAt, objectName } from '../model/index.ts'
import { builtIn, shownName } from './built-in.ts'
import { below, chainOf, underOneChain } from './chain.ts'
import type { Business } from './hold.ts'
import { selectNodes } from './nodes.ts'

/** Raised when what a tree looks like changes, so that nobody keeps an older look. */
const look = 1

export interface TreeNode {
  default: number
  bk_inst_id: number
  bk_inst_name: string
  bk_obj_id: string
  bk_obj_name: string
  child: TreeNode[]
}

export interface TreeQuestion {
  readonly language: Language
  /** How many levels below the business; undefined: all. */
  readonly depth: number | undefined
  readonly withDefault: boolean
  /** The instance on top; undefined: the business. */
  readonly from?: Top
}

interface Top {
  readonly object: string
  readonly id: number
}

/** What a tree is made of: a node, where it stands, and how it is called. */
type TreeRow = readonly [
  id: number,
  object: string,
  instId: number,
  parent: number | null,
  name: string,
  builtIn: number,
]

/** How many rows travel as one text: copying as many records from a thread holds the event loop far longer. */
const packed = 500

/** Rows in packs. Each also says at which version it was read: one statement, one snapshot. */
function inPacks(reader: Reader, business: number, which: Expression<SqlBool>, order: RawBuilder<unknown>) {
  const rows = reader
    .selectFrom('node')
    .innerJoin('business', (join) => join.on('business.node', '=', business))
    .innerJoin('account', 'account.name', 'business.account')
    .select(['node.id', 'node.object_id', 'node.inst_id', 'node.parent', 'node.name', 'node.built_in'])
    .select(['business.tree_version', 'account.model_version'])
    .select(sql<number>`row_number() OVER (ORDER BY ${order})`.as('place'))
    .where(which)
  const pack = sql`placed.place / ${sql.lit(packed)}`
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

/** The same below one instance. The idle pool, directly under the business, comes after the instances of a level. */
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

const stampOf = (treeVersion: number, modelVersion: number) => `${look}.${modelVersion}.${treeVersion}`

/**
 * The tree of a business as it is sent, or of an instance in it; empty when there is no such instance. Served from memory
 * while the stamp, read with the business in this request, is the one under which it was built; a change in another business
 * leaves it alone.
 */
export async function treePage(
  storage: Storage,
  account: string,
  business: Business,
  question: TreeQuestion,
): Promise<Page> {
  const key = ['tree of', business.node, ...termsOf(question)].join(' ')
  const asked = stampOf(business.treeVersion, business.modelVersion)
  return cached(storage.read, key, asked, async (readAt) => {
    const { page, stamp } = await build(storage, account, business, question)
    readAt(stamp)
    return page
  })
}

/** What tells one question from another. The object may be any text, so it comes last but for a number. */
const termsOf = ({ language, depth, withDefault, from }: TreeQuestion) => [
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
): Promise<{ page: Page; stamp: string }> {
  const { packs, first, model } = await underOneChain(storage.read, account, async () => {
    const packs = await (question.from
      ? subtreeRows(storage.heavy, { business: business.node, account, ...question.from })
      : treeRows(storage.heavy, { business: business.node }))
    const [first] = packs
    return { packs, first, model: first && (await modelAt(storage.read, account, first.model_version)) }
  })
  if (!first || !model) {
    // Nothing was read with the rows that says of which versions they are.
    if (question.from) return { page: new Page([]), stamp: 'none' }
    throw new Error(`business ${business.bizId} has gone`)
  }
  // The stamp that came with the rows, not the one that was asked for: an old tree never gets a new stamp.
  const stamp = stampOf(first.tree_version, first.model_version)
  const tag = `"${[storage.epoch, business.node, stamp, ...termsOf(question)].join('.')}"`
  const top = question.from ?? { object: 'biz', id: business.bizId }
  const tree = await assemble(model, packs, question, top)
  const page = await Page.from(textOf(model, tree, question.language), tag)
  return { page, stamp }
}

interface Tree {
  readonly root: TreeRow | undefined
  readonly children: ReadonlyMap<number, readonly TreeRow[]>
}

/** Rows in order of name make children in order of name. */
async function assemble(
  model: Model,
  packs: readonly { rows: string }[],
  question: TreeQuestion,
  top: Top,
): Promise<Tree> {
  const depths = new Map(['biz', ...below(model, 'biz')].map((object, depth) => [object, depth]))
  const deepest = question.depth ?? depths.size
  const children = new Map<number, TreeRow[]>()
  let root: TreeRow | undefined
  await inTurns(packs, ({ rows }) => {
    for (const row of JSON.parse(rows) as TreeRow[]) {
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

/** The text of the tree, piece by piece. */
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

/** The built-in idle pool of a business: idle first, then fault. */
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
