// What was below an instance, at the time: found in the log, so that it is known for what no longer exists, too.
import { operationTypes, problem, rule } from '@mainline/contract'
import { inTurns } from '../../../common/concurrency/turns.ts'
import type { Reader } from '../../../storage/index.ts'
import { type Model, modelOf } from '../../model/index.ts'
import { contentOf, nodeKey } from '../recorded/index.ts'
import type { Root } from './root.ts'

/** Records that one request may consider. */
export const maxConsidered = 200_000

export const refuseMany = (count: number) => {
  if (count <= maxConsidered) return
  throw problem('tooMany', {
    what: rule('recordsToRead'),
    limit: maxConsidered,
    rule: rule('narrowByMoments'),
  })
}

export const logOf = (reader: Reader, account: string) => reader.selectFrom('log').where('account', '=', account)

/** Instances that were ever below an instance of the main line, each with the modules among them apart. */
export interface NodesBelow {
  readonly byObject: ReadonlyMap<string, ReadonlySet<number>>
  readonly modules: ReadonlySet<number>
}

/** The positions between which an instance existed: of the first and of the last record of the changes that created and deleted it. */
export interface Existence {
  readonly first: number
  readonly last: number
}

interface Link {
  readonly object: string
  readonly id: number
  readonly parents: readonly number[]
  readonly isBuiltIn: boolean
}

/**
 * Ids are drawn per object, so the parent of an instance is known by its object, too: a module is below a set, and anything else below what
 * has the id among those that are no sets and no modules.
 */
export async function nodesBelow(reader: Reader, root: Root, existence: Existence, model: Model): Promise<NodesBelow> {
  const found = new Map<string, Set<number>>()
  const add = ({ object, id }: Pick<Link, 'object' | 'id'>) => {
    const ids = found.get(object) ?? new Set()
    found.set(object, ids.add(id))
  }
  if (root.object === 'module') return { byObject: found, modules: new Set([root.id]) }
  const links = await linksIn(reader, root, existence)
  const isModule = (link: Link) => link.object === 'module'
  // Ids of businesses and of instances of levels are drawn apart, so a parent may have the id of either. While the level exists, no set but
  // a built-in one is directly below its business.
  const isBusiness = (link: Link, parent: number) =>
    parent === root.business &&
    (link.isBuiltIn || (link.object !== 'set' && model.objects.get(link.object)?.above === 'biz'))
  const sets = new Set(root.object === 'set' ? [root.id] : [])
  if (root.object !== 'set') {
    const inside = new Set([root.id])
    const seen = new Set<string>()
    const others = links.filter((link) => !isModule(link))
    for (let grown = true; grown; ) {
      grown = false
      for (const link of others) {
        const key = nodeKey(link.object, link.id)
        if (seen.has(key) || !link.parents.some((parent) => inside.has(parent) && !isBusiness(link, parent))) continue
        seen.add(key)
        add(link)
        if (link.object === 'set') sets.add(link.id)
        else inside.add(link.id)
        grown = true
      }
    }
  }
  const modules = new Set<number>()
  for (const link of links.filter(isModule)) {
    if (!link.parents.some((parent) => sets.has(parent))) continue
    modules.add(link.id)
    add(link)
  }
  return { byObject: found, modules }
}

/** Instances of a business with all parents that they ever had: as they exist, and as the log has them. */
async function linksIn(reader: Reader, { account, business }: Root, existence: Existence): Promise<Link[]> {
  const [records, rows] = await Promise.all([
    logOf(reader, account)
      .select(['object_id', 'inst_id', 'content'])
      .where('biz_id', '=', business)
      .where('position', '>=', existence.first)
      .where('position', '<=', existence.last)
      .where('object_id', 'not in', ['biz', 'host', 'userapi', 'instassociation', 'subscription', 'history'])
      // Modules stay below their set.
      .where((eb) => eb.or([eb('object_id', '<>', 'module'), eb('operation', '<>', operationTypes.update)]))
      .where((eb) => eb.not(eb('object_id', 'like', 'customquery%')))
      .limit(maxConsidered + 1)
      .execute(),
    reader
      .selectFrom('node')
      .select(['object_id', 'inst_id', 'parent_id', 'built_in'])
      .where('account', '=', account)
      .where('biz_id', '=', business)
      .where('object_id', '<>', 'biz')
      .execute(),
  ])
  refuseMany(records.length)
  const links = (existence.last < Number.MAX_SAFE_INTEGER ? [] : rows).map(
    (row): Link => ({
      object: row.object_id,
      id: row.inst_id,
      parents: [row.parent_id],
      isBuiltIn: row.built_in !== 0,
    }),
  )
  await inTurns(records, ({ object_id: object, inst_id: id, content }) => {
    const { pre, cur } = contentOf({ content })
    const parents = [pre, cur].flatMap((side) => (typeof side?.bk_parent_id === 'number' ? [side.bk_parent_id] : []))
    if (parents.length > 0) links.push({ object, id, parents, isBuiltIn: (cur ?? pre)?.default !== 0 })
  })
  return links
}

/** From when to when the instance existed, as far as the log is kept. */
export async function existenceOf(reader: Reader, { account, object, id }: Root): Promise<Existence> {
  const ends = await logOf(reader, account)
    .select(['operation', 'txn_id'])
    .where('object_id', '=', object)
    .where('inst_id', '=', id)
    .where('operation', 'in', [operationTypes.add, operationTypes.delete])
    .orderBy('ticket')
    .execute()
  const [first, last] = [ends[0], ends.at(-1)]
  const edge = async (txn: string, end: 'min' | 'max') => {
    const { position } = await reader
      .selectFrom('log')
      .select((eb) => eb.fn[end]('position').as('position'))
      .where('txn_id', '=', txn)
      .executeTakeFirstOrThrow()
    return Number(position)
  }
  return {
    first: first?.operation === operationTypes.add ? await edge(first.txn_id, 'min') : 0,
    last: last?.operation === operationTypes.delete ? await edge(last.txn_id, 'max') : Number.MAX_SAFE_INTEGER,
  }
}

/** The modules that were ever below an instance of the main line. */
export const modulesBelow = async (reader: Reader, root: Root): Promise<ReadonlySet<number>> =>
  (await nodesBelow(reader, root, await existenceOf(reader, root), await modelOf(reader, root.account))).modules
