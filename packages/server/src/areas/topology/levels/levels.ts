import { languages, problem, type Rule, rule } from '@mainline/contract'
import { present } from '../../../common/present.ts'
import type { Spelling } from '../../../http/dialect.ts'
import { type Actor, nextVersion, type Reader, type Tx, unshownValues } from '../../../storage/index.ts'
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
  refuseAssociatedObject,
  type Showing,
  selectObjects,
} from '../../model/index.ts'
import { recordDelete, recordKindOf } from '../nodes/instances.ts'
import { insertNodes, type Node, selectNodes } from '../nodes/nodes.ts'
import { showNode } from '../nodes/record.ts'
import { chainOf } from './chain.ts'
import { raiseVersions, setParentObject } from './level-store.ts'

export interface NewLevel {
  readonly classification: string
  readonly id: string
  readonly name: string
  readonly above: string
  readonly icon: string
}

/** Limits for a new level. */
export interface LevelRules {
  /** The largest number of objects on the main line. */
  readonly most: number
  readonly identifiers: Spelling
}

/** Instances changed per step; other changes and reads run in between. */
const instancesPerStep = 250

/**
 * Inserts a level between an object and the one below it. Every instance of that object, in every business, gets one
 * instance named like the level, and its children move under it. Holds the chain exclusively: nothing else is created
 * or moved in the account meanwhile.
 */
export async function createLevel(tx: Tx, level: NewLevel, rules: LevelRules, showing: Showing): Promise<void> {
  const before = await modelIn(tx)
  refuseUnfit(before, level, rules.most)
  const child = present(chainOf(before).find((object) => object.above === level.above))
  await findOrMakeClassification(tx, level.classification, showing, rules.identifiers)
  // The child first: the index on `above` rejects two objects below the same one.
  await setParentObject(tx, child.id, level.id)
  const sent = { bk_obj_id: level.id, bk_obj_name: level.name, bk_classification_id: level.classification }
  const placed = { above: level.above, below: child.id }
  await addObject(tx, { ...sent, bk_obj_icon: level.icon, ...placed }, showing, rules.identifiers)
  await raiseVersions(tx)

  const model = await readModelNow(tx)
  const object = objectOf(model, level.id)
  for await (const parents of pages(tx, level.above)) {
    const ids = await tx.drawIds('inst', parents.length)
    const created = await insertNodes(
      tx,
      object,
      parents.map((parent, index) => ({
        id: present(ids[index]),
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
        revision: node.revision,
        before: null,
        after: showNode(object, node, inEnglish(showing)),
      })
    }
    await tx.flush()
  }
  await moveChildren(tx, model, child.id, level.id, 'down', showing)
}

const longestName = 20

export function refuseUnfit(model: Model, level: NewLevel, mostLevels: number): void {
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

/** Removes a level from the main line: its instances are deleted and their children move up. Hosts keep their modules. */
export async function deleteLevel(tx: Tx, id: string, showing: Showing): Promise<void> {
  const model = await modelIn(tx)
  const level = levelOf(model, id)
  const child = present(chainOf(model).find((object) => object.above === id))
  await refuseAssociatedObject(tx, id)
  const conflicts = await findConflicts(tx, tx.actor, id, child.id)
  if (conflicts.length > 0) {
    const found = conflicts.map((conflict) => rule('timesUnder', conflict))
    const what: Rule = [found.map(([en]) => en).join('; '), found.map(([, zh]) => zh).join('；')]
    throw problem('sameNameBelow', { what })
  }
  await moveChildren(tx, model, child.id, id, 'up', showing)
  for await (const nodes of pages(tx, id)) {
    for (const node of nodes) recordDelete(tx, node, showNode(level, node, inEnglish(showing)))
    await tx.flush()
  }
  // Indexed values are dropped together with the keys of the object's attributes.
  await tx.deleteFrom('node').where('account', '=', tx.actor.account).where('object_id', '=', id).execute()
  const row = await selectObjects(tx, tx.actor.account).where('object_id', '=', id).executeTakeFirstOrThrow()
  await dropObject(tx, row, showing, child.id)
  await setParentObject(tx, child.id, level.above ?? '')
  await raiseVersions(tx)
}

/** The object, if it is a user-defined level. */
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

/** Children that would have the same name under their new parent, compared with the built-in set of a business too. */
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

/** Moves children under an inserted level, or above a removed one. The idle pool stays directly below the business. */
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
    const moved = await recordNewParents(tx, nodes, level, way)
    for (const node of nodes) {
      const changed = { ...node, ...nextVersion(tx, node), parent_id: moved.get(node.id) ?? node.parent_id }
      const before = showNode(object, node, inEnglish(showing))
      const after = showNode(object, changed, inEnglish(showing))
      tx.record({
        operation: 'update',
        object: child,
        instance: node.inst_id,
        business: node.biz_id,
        description: `update ${recordKindOf(child)}`,
        revision: changed.revision,
        before,
        after,
        unshown: unshownValues([node, before], [changed, after]),
      })
    }
    await tx.flush()
  }
}

/** Moves these children and records the public id of each one's new parent. */
async function recordNewParents(
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
      revision: eb('node.revision', '+', 1),
      last_time: eb
        .case()
        .when('node.last_time', '<', tx.now)
        .then(tx.now)
        .else(eb('node.last_time', '+', 1))
        .end(),
    }))
    .returning(['node.id', 'node.parent_id'])
    .execute()
  return new Map(moved.map((row) => [row.id, row.parent_id]))
}

/** All instances of an object in the account, in batches. */
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
      .limit(instancesPerStep)
      .execute()
    const last = page.at(-1)
    if (!last) return
    yield page
    after = last.inst_id
  }
}
