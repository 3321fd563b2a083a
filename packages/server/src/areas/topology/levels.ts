import { languages, problem, type Rule, rule } from '@mainline/contract'
import type { Spelling } from '../../platform/http/compat.ts'
import type { Actor, Reader, Tx } from '../../platform/storage/index.ts'
import {
  addObject,
  dropObject,
  findOrMakeClassification,
  inEnglish,
  type Model,
  modelIn,
  nameText,
  type ObjectModel,
  objectName,
  objectOf,
  readModelNow,
  type Showing,
  selectObjects,
} from '../model/index.ts'
import { chainOf } from './chain.ts'
import { word } from './instances.ts'
import { hang, raiseVersions } from './level-store.ts'
import { insertNodes, type Node, selectNodes } from './nodes.ts'
import { show } from './record.ts'

export interface NewLevel {
  readonly classification: string
  readonly id: string
  readonly name: string
  readonly above: string
  readonly icon: string
}

/** What a new level has to keep to. */
export interface LevelRules {
  /** How many objects the main line may have. */
  readonly most: number
  readonly identifiers: Spelling
}

/** Instances handled at once: few enough that others get their turn in between. */
const atOnce = 250

/**
 * Inserts a level between an object and what is below it. Every instance of that object, in every business, gets one
 * instance named like the level, and its children move under it. Runs under the exclusive chain: nothing else is created
 * or moved in the account meanwhile.
 */
export async function createLevel(tx: Tx, level: NewLevel, rules: LevelRules, showing: Showing): Promise<void> {
  const before = await modelIn(tx)
  refuseUnfit(before, level, rules.most)
  const child = chainOf(before).find((object) => object.above === level.above) as ObjectModel
  await findOrMakeClassification(tx, level.classification, showing, rules.identifiers)
  // The child first: two objects below one another are what the index on `above` refuses.
  await hang(tx, child.id, level.id)
  const sent = { bk_obj_id: level.id, bk_obj_name: level.name, bk_classification_id: level.classification }
  await addObject(tx, { ...sent, bk_obj_icon: level.icon, above: level.above }, showing, rules.identifiers)
  await raiseVersions(tx)

  const model = await readModelNow(tx)
  const object = objectOf(model, level.id)
  for await (const parents of pages(tx, level.above)) {
    const ids = await tx.drawIds('inst', parents.length)
    const created = await insertNodes(
      tx,
      object,
      parents.map((parent, index) => ({
        id: ids[index] as number,
        name: level.name,
        builtIn: 0,
        attributes: '{}',
        under: {
          business: parent.business ?? parent.id,
          bizId: parent.biz_id,
          parent: parent.id,
          parentId: parent.inst_id,
        },
      })),
    )
    for (const node of created) {
      tx.record({
        operation: 'add',
        object: level.id,
        instance: node.inst_id,
        business: node.biz_id,
        description: 'create instance',
        before: null,
        after: show(object, node, inEnglish(showing)),
      })
    }
    await tx.flush()
  }
  await moveChildren(tx, model, child.id, level.id, 'down', showing)
}

const longestName = 20

function refuseUnfit(model: Model, level: NewLevel, mostLevels: number): void {
  nameText('bk_obj_name', level.name)
  if ([...level.name].length > longestName) {
    throw problem('outOfBounds', { rule: rule('maxCharacters', { field: 'bk_obj_name', max: longestName }) })
  }
  const parent = model.objects.get(level.above)
  const fits = parent && parent.above !== null && (parent.id === 'biz' || !parent.preset)
  if (!fits) throw problem('unknown', { field: 'bk_asst_obj_id', rule: rule('levelParent') })
  for (const object of model.objects.values()) {
    const names = languages.map((language) => objectName(object, language).toLowerCase())
    if (object.id.toLowerCase() === level.id.toLowerCase()) throw problem('duplicate', { what: 'bk_obj_id' })
    if (names.includes(level.name.toLowerCase())) throw problem('duplicate', { what: 'bk_obj_name' })
  }
  if (chainOf(model).length >= mostLevels) throw problem('tooManyLevels')
}

/** Takes a level out of the main line: its children move up to its own parent, its instances go. Hosts do not mind. */
export async function deleteLevel(tx: Tx, id: string, showing: Showing): Promise<void> {
  const model = await modelIn(tx)
  const level = levelOf(model, id)
  const child = chainOf(model).find((object) => object.above === id) as ObjectModel
  const conflicts = await findConflicts(tx, tx.actor, id, child.id)
  if (conflicts.length > 0) {
    const found = conflicts.map((conflict) => rule('timesUnder', conflict))
    const what: Rule = [found.map(([en]) => en).join('; '), found.map(([, zh]) => zh).join('；')]
    throw problem('sameNameBelow', { what })
  }
  await moveChildren(tx, model, child.id, id, 'up', showing)
  for await (const nodes of pages(tx, id)) {
    for (const node of nodes) {
      tx.record({
        operation: 'delete',
        object: id,
        instance: node.inst_id,
        business: node.biz_id,
        description: 'delete instance',
        before: show(level, node, inEnglish(showing)),
        after: null,
      })
    }
    await tx.flush()
  }
  // What is kept of their values goes with the keys of the object's attributes.
  await tx.deleteFrom('node').where('account', '=', tx.actor.account).where('object_id', '=', id).execute()
  const row = await selectObjects(tx, tx.actor.account).where('object_id', '=', id).executeTakeFirstOrThrow()
  await dropObject(tx, row, showing)
  await hang(tx, child.id, level.above ?? '')
  await raiseVersions(tx)
}

/** A level is what users put on the main line. */
export function levelOf(model: Model, id: string): ObjectModel {
  const object = model.objects.get(id)
  if (object?.preset && object.above !== null) throw problem('builtInModel')
  if (!object || object.above === null) throw problem('modelNotFound', { why: rule('notALevel', { object: id }) })
  return object
}

interface Conflict {
  readonly name: string
  readonly parent: string
  readonly count: number
}
const conflictsTold = 20

/** Children that would share a name once they stand under one parent, the built-in set of a business among them. */
export function findConflicts(reader: Reader, actor: Actor, level: string, child: string): Promise<Conflict[]> {
  return reader
    .selectFrom('node as child')
    .leftJoin('node as level', (join) => join.onRef('level.id', '=', 'child.parent').on('level.object_id', '=', level))
    .innerJoin('node as top', (join) =>
      join.on((eb) => eb('top.id', '=', eb.fn.coalesce('level.parent', 'child.parent'))),
    )
    .where('child.account', '=', actor.account)
    .where('child.object_id', '=', child)
    .groupBy(['top.id', 'top.name', 'child.name_key'])
    .having((eb) => eb(eb.fn.countAll<number>(), '>', 1))
    .select((eb) => ['child.name_key as name', 'top.name as parent', eb.fn.countAll<number>().as('count')])
    .orderBy('top.name')
    .orderBy('child.name_key')
    .limit(conflictsTold)
    .execute()
}

/** Hangs children below the level that has come between, or above the one that goes. The idle pool stays where it is. */
async function moveChildren(
  tx: Tx,
  model: Model,
  child: string,
  level: string,
  way: 'down' | 'up',
  showing: Showing,
): Promise<void> {
  const object = objectOf(model, child)
  for await (const nodes of pages(tx, child, 0)) {
    const homes = await newHomes(tx, nodes, level, way)
    for (const node of nodes) {
      const parentId = homes.get(node.id) ?? node.parent_id
      tx.record({
        operation: 'update',
        object: child,
        instance: node.inst_id,
        business: node.biz_id,
        description: `update ${word(child)}`,
        before: show(object, node, inEnglish(showing)),
        after: show(object, { ...node, parent_id: parentId, last_time: tx.now }, inEnglish(showing)),
      })
    }
    await tx.flush()
  }
}

/** Moves these children and tells each one's new parent by its public id. */
async function newHomes(
  tx: Tx,
  nodes: readonly Node[],
  level: string,
  way: 'down' | 'up',
): Promise<Map<number, number>> {
  const ids = nodes.map((node) => node.id)
  const moved = await tx
    .updateTable('node')
    .from('node as level')
    .where((eb) => tx.dialect.among(eb.ref('node.id'), ids, 'integer'))
    .where('level.object_id', '=', level)
    .whereRef(way === 'down' ? 'level.parent' : 'level.id', '=', 'node.parent')
    .set((eb) => ({
      parent: way === 'down' ? eb.ref('level.id') : eb.ref('level.parent'),
      parent_id: way === 'down' ? eb.ref('level.inst_id') : eb.ref('level.parent_id'),
      last_time: tx.now,
    }))
    .returning(['node.id', 'node.parent_id'])
    .execute()
  return new Map(moved.map((row) => [row.id, row.parent_id]))
}

/** All instances of an object in the account, a few at a time. */
async function* pages(
  tx: Tx,
  object: string,
  builtIn?: number,
): AsyncGenerator<(Node & { business: number | null })[]> {
  for (let after = 0; ; ) {
    const page = await selectNodes(tx, object)
      .select('node.business')
      .where('node.account', '=', tx.actor.account)
      .where('node.inst_id', '>', after)
      .$if(builtIn !== undefined, (query) => query.where('node.built_in', '=', builtIn ?? 0))
      .orderBy('node.inst_id')
      .limit(atOnce)
      .execute()
    const last = page.at(-1)
    if (!last) return
    yield page
    after = last.inst_id
  }
}
