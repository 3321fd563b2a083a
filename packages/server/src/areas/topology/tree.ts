import type { Language } from '@mainline/contract'
import { type SqlBool, sql } from 'kysely'
import { Page } from '../../platform/http/page.ts'
import { prepared, type Reader, type Storage } from '../../platform/storage/index.ts'
import { type Model, modelAt, objectName, objectOf } from '../model/index.ts'
import { builtIn, shownName } from './built-in.ts'
import { below, underOneChain } from './chain.ts'
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

/** What a tree is made of. Every row also says at which version it was read: one statement, one snapshot. */
const selectTree = (reader: Reader, business: number) =>
  reader
    .selectFrom('node')
    .innerJoin('business', (join) => join.on('business.node', '=', business))
    .innerJoin('account', 'account.name', 'business.account')
    .select(['node.id', 'node.object_id', 'node.inst_id', 'node.parent', 'node.name', 'node.built_in'])
    .select(['business.tree_version', 'account.model_version'])

const treeRows = prepared((reader, { business }: { business: number }) =>
  selectTree(reader, business)
    .where((eb) => eb.or([eb('node.business', '=', business), eb('node.id', '=', business)]))
    .orderBy('node.name')
    .orderBy('node.inst_id'),
)

/** The same below one instance. The idle pool, directly under the business, comes after the instances of a level. */
const subtreeRows = prepared(
  (reader, { business, account, object, id }: { business: number; account: string; object: string; id: number }) =>
    selectTree(reader, business)
      .where(
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
      )
      .orderBy(sql`node.object_id = 'set'`)
      .orderBy('node.name')
      .orderBy('node.inst_id'),
)
type TreeRow = Awaited<ReturnType<typeof treeRows>>[number]

const stampOf = (treeVersion: number, modelVersion: number) => `${look}.${modelVersion}.${treeVersion}`

/** Trees that are being built right now: whoever asks meanwhile waits for the same one. */
const building = new WeakMap<Storage, Map<string, Promise<Page>>>()

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
  const stamp = stampOf(business.treeVersion, business.modelVersion)
  const known = storage.read.memo.get<Page>(key, stamp)
  if (known) return known

  const underway = building.get(storage) ?? new Map<string, Promise<Page>>()
  building.set(storage, underway)
  const job = `${key} ${stamp}`
  const begun = underway.get(job) ?? build(storage, account, business, question, key)
  underway.set(job, begun)
  return begun.finally(() => underway.delete(job))
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
  key: string,
): Promise<Page> {
  const top: Top = question.from ?? { object: 'biz', id: business.bizId }
  const { rows, first, model } = await underOneChain(storage.read, account, async () => {
    const rows = await (question.from
      ? subtreeRows(storage.heavy, { business: business.node, account, ...question.from })
      : treeRows(storage.heavy, { business: business.node }))
    const [first] = rows
    return { rows, first, model: first && (await modelAt(storage.read, account, first.model_version)) }
  })
  if (!first || !model) {
    if (question.from) return new Page([])
    throw new Error(`business ${business.bizId} has gone`)
  }
  const tree = assemble(model, rows, top, question)
  // The stamp that came with the rows, not the one that was asked for: an old tree never gets a new stamp.
  const stamp = stampOf(first.tree_version, first.model_version)
  const tag = `"${[storage.epoch, business.node, stamp, ...termsOf(question)].join('.')}"`
  const page = new Page(tree, tag)
  storage.read.memo.set(key, stamp, page)
  return page
}

/** Rows in order of name make children in order of name. */
function assemble(model: Model, rows: readonly TreeRow[], top: Top, question: TreeQuestion): TreeNode[] {
  const depths = new Map(['biz', ...below(model, 'biz')].map((object, depth) => [object, depth]))
  const names = new Map(
    [...depths.keys()].map((object) => [object, objectName(objectOf(model, object), question.language)]),
  )
  const deepest = question.depth ?? depths.size
  const nodes = new Map<number, TreeNode>()
  const shown = rows.filter((row) => (depths.get(row.object_id) ?? deepest + 1) <= deepest)
  for (const row of shown) nodes.set(row.id, treeNode(row, names.get(row.object_id) ?? '', question.language))
  for (const row of shown) {
    const isIdlePool = row.object_id === 'set' && row.built_in === builtIn.idlePool
    if (row.parent === null || (isIdlePool && !question.withDefault)) continue
    nodes.get(row.parent)?.child.push(nodes.get(row.id) as TreeNode)
  }
  const root = rows.find((row) => row.object_id === top.object && row.inst_id === top.id)
  const tree = root && nodes.get(root.id)
  return tree ? [tree] : []
}

const treeNode = (row: TreeRow, objectNamed: string, language: Language): TreeNode => ({
  default: row.object_id === 'module' ? row.built_in : 0,
  bk_inst_id: row.inst_id,
  bk_inst_name: shownName(row.object_id, row.built_in, row.name, language),
  bk_obj_id: row.object_id,
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
