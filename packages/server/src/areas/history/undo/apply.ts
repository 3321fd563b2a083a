// Writes the rows that an undo changes, with records and events as for any change.
import { problem } from '@mainline/contract'
import { present } from '../../../common/present.ts'
import type { Tx } from '../../../storage/index.ts'
import { associationEvent, createInstanceAssociation, deleteInstanceAssociation } from '../../associations/index.ts'
import {
  findHosts,
  type Host,
  relocate,
  removeHosts,
  restoreHosts,
  restoreValues,
  spotsAt,
  spotsOf,
} from '../../hosts/index.ts'
import { dropValues, type Model, modelIn, objectOf, type Showing } from '../../model/index.ts'
import { deleteQuery, restoreQuery, rewriteQuery } from '../../queries/run/index.ts'
import {
  deleteLevel,
  findAnyNodes,
  type Node,
  removeNodes,
  reparentNode,
  restoreNodes,
  rewriteNode,
  selectBusinesses,
  setNamesAside,
} from '../../topology/index.ts'
import { nodeKey, nodeOfKey } from '../recorded/index.ts'
import { applyDefinitions } from './definitions.ts'
import { besideLevel, type LevelChange, levelIn, reparented } from './levels.ts'
import { created, deleted, type NetChanges, type NetDefinition, updated } from './net.ts'
import { lastRevisions } from './revisions.ts'

export async function applyNet(tx: Tx, all: NetChanges, showing: Showing): Promise<void> {
  const naming = namingUndone(tx, all)
  const level = levelIn(all)
  if (level && !level.returns) await deleteLevel(naming, level.id, showing)
  const net = level ? besideLevel(all, level) : all
  // Instances that are deleted have no object without them, and others need theirs.
  await applyDefinitions(naming, definitionsFirst(net), showing, level?.returns ? level : undefined)
  const model = await modelIn(tx)
  for (const { key } of net.nodes) {
    if (objectOf(model, nodeOfKey(key).object).paused) throw problem('modelPaused')
  }
  for (const { id } of deleted(net.associations)) await deleteInstanceAssociation(naming, id)
  for (const { biz_id, id } of deleted(net.queries)) await deleteQuery(naming, biz_id, id, showing.zone)
  await deleteHosts(naming, model, net, showing)
  const doomed = await nodesNow(naming, deleted(net.nodes))
  const isEarly = !(await holdsHosts(naming, doomed))
  if (isEarly) await removeNodes(naming, model, doomed, showing)
  await releaseNames(naming, model, net, isEarly ? [] : doomed)
  await rewriteNodes(naming, model, net, showing)
  await returnNodes(naming, model, net, showing)
  if (level?.returns) await reparentNodes(naming, model, all, level, showing)
  await changeHosts(naming, model, net, showing)
  await returnHosts(naming, model, net, showing)
  if (!isEarly) await removeNodes(naming, model, doomed, showing)
  await returnQueries(naming, net, showing)
  for (const { id, association_id, source_id, target_id } of created(net.associations)) {
    const sent = { bk_obj_asst_id: association_id, bk_inst_id: source_id, bk_asst_inst_id: target_id }
    await createInstanceAssociation(naming, sent, id)
  }
  await applyDefinitions(naming, definitionsLast(net), showing)
}

const holding: readonly string[] = [
  'object',
  'object_association',
  'association_kind',
  'classification',
  'attribute',
  'attribute_group',
]
const goes = ({ kind, now, target }: NetDefinition) =>
  now !== undefined && target === undefined && holding.includes(kind)

/** What instances need is written before them, and deleted after them. */
const definitionsFirst = ({ definitions }: NetChanges) => definitions.filter((each) => !goes(each))
const definitionsLast = ({ definitions }: NetChanges) => definitions.filter(goes)

/** Each record names the records that it undoes. */
function namingUndone(tx: Tx, net: NetChanges): Tx {
  const undone = new Map<string, number[]>()
  const add = (about: string, positions: readonly number[]) =>
    undone.set(
      about,
      [...new Set([...(undone.get(about) ?? []), ...positions])].toSorted((one, other) => one - other),
    )
  for (const { key, undoes } of net.nodes) add(key, undoes)
  for (const { key, undoes } of [...net.hosts, ...net.places]) add(`host ${key}`, undoes)
  for (const { key, undoes } of net.queries) add(`userapi ${key}`, undoes)
  for (const { key, undoes } of net.associations) add(`${associationEvent} ${key}`, undoes)
  for (const { kind, key, now, target, undoes } of net.definitions) {
    const id = kind === 'role_binding' ? 0 : kind === 'object' ? (target ?? now)?.id : key
    const about = kind === 'user_group' ? ['usergroup', 'privilege'] : [kind === 'role_binding' ? 'privilege' : 'model']
    for (const object of about) add(`${object} ${id}`, undoes)
  }
  return {
    ...tx,
    record(happened) {
      const about = happened.object === 'userapi' ? happened.key : happened.instance
      tx.record({ ...happened, undoes: undone.get(`${happened.object} ${about}`) ?? [] })
    },
  }
}

async function nodesNow(tx: Tx, wanted: readonly Pick<Node, 'object_id' | 'inst_id'>[]): Promise<Node[]> {
  const found: Node[] = []
  for (const [object, own] of Map.groupBy(wanted, (node) => node.object_id)) {
    const ids = own.map(({ inst_id }) => inst_id)
    if (object === 'biz') {
      const rows = await selectBusinesses(tx)
        .where('node.account', '=', tx.actor.account)
        .where((eb) => tx.dialect.among(eb.ref('node.inst_id'), ids, 'integer'))
        .execute()
      found.push(...rows)
    } else found.push(...(await findAnyNodes(tx, object, ids)))
  }
  return found
}

/** Whether hosts have to leave before the instances can be deleted. */
async function holdsHosts(tx: Tx, nodes: readonly Node[]): Promise<boolean> {
  const ids = nodes.map(({ id }) => id)
  const host = await tx
    .selectFrom('placement')
    .select('host')
    .where((eb) =>
      eb.or([tx.dialect.among(eb.ref('module'), ids, 'integer'), tx.dialect.among(eb.ref('business'), ids, 'integer')]),
    )
    .limit(1)
    .executeTakeFirst()
  if (host) return true
  const inArea = await tx
    .selectFrom('host')
    .select('id')
    .where((eb) => tx.dialect.among(eb.ref('cloud'), ids, 'integer'))
    .limit(1)
    .executeTakeFirst()
  return inArea !== undefined
}

/** Instances that are renamed, or deleted later, may have the names of others until then. */
async function releaseNames(tx: Tx, model: Model, net: NetChanges, doomed: readonly Node[]): Promise<void> {
  const renamed = updated(net.nodes).filter(({ now, target }) => now.name !== target.name)
  if (doomed.length + renamed.length + created(net.nodes).length < 2) return
  const holders = await nodesNow(
    tx,
    renamed.map(({ now }) => now),
  )
  await setNamesAside(tx, [...doomed, ...holders])
  for (const [object, own] of Map.groupBy(doomed, (node) => node.object_id)) {
    await dropValues(
      tx,
      objectOf(model, object),
      own.map(({ id }) => id),
    )
  }
}

async function rewriteNodes(tx: Tx, model: Model, net: NetChanges, showing: Showing): Promise<void> {
  const wanted = updated(net.nodes)
  const stored = await nodesNow(
    tx,
    wanted.map(({ now }) => now),
  )
  const nodes = new Map(stored.map((node) => [`${node.object_id} ${node.inst_id}`, node]))
  for (const { key, target } of wanted) {
    const node = present(nodes.get(key))
    const { name, status } = target
    const revision = node.revision + 1
    const last_time = Math.max(tx.now, node.last_time + 1)
    const attributes = JSON.stringify(target.attributes)
    const after = { ...node, name, attributes, revision, last_time, ...(status !== undefined && { status }) }
    await rewriteNode(tx, model, node, after, showing)
  }
}

async function reparentNodes(
  tx: Tx,
  model: Model,
  net: NetChanges,
  level: LevelChange,
  showing: Showing,
): Promise<void> {
  const moving = reparented(net)
  const [nodes, parents] = [
    await nodesNow(
      tx,
      moving.map(({ now }) => now),
    ),
    await findAnyNodes(
      tx,
      level.id,
      moving.map(({ target }) => target.parent_id),
    ),
  ]
  const byId = new Map(parents.map((parent) => [parent.inst_id, parent]))
  const targets = new Map(moving.map(({ key, target }) => [key, target.parent_id]))
  for (const node of nodes) {
    const parent = present(byId.get(present(targets.get(nodeKey(node.object_id, node.inst_id)))))
    await reparentNode(tx, model, node, parent, showing)
  }
}

async function returnNodes(tx: Tx, model: Model, net: NetChanges, showing: Showing): Promise<void> {
  const nodes = created(net.nodes)
  const revisions = await lastRevisions(
    tx,
    nodes.map(({ object_id: object, inst_id: id, revision }) => ({ object, id, revision })),
  )
  const restored = nodes.map((node) => ({
    ...node,
    revision: 1 + present(revisions.get(`${node.object_id} ${node.inst_id}`)),
    last_time: Math.max(tx.now, node.last_time + 1),
  }))
  await restoreNodes(tx, model, restored, showing)
}

async function hostsNow(tx: Tx, keys: readonly string[]): Promise<Map<string, Host>> {
  const hosts = await findHosts(tx, tx.actor.account, keys.map(Number))
  return new Map(hosts.map((host) => [String(host.host_id), host]))
}

async function deleteHosts(tx: Tx, model: Model, net: NetChanges, showing: Showing): Promise<void> {
  const keys = deleted(net.hosts).map(({ host_id }) => String(host_id))
  const hosts = await hostsNow(tx, keys)
  const businessOf = new Map(net.places.map(({ key, now }) => [key, now?.bizId ?? 0]))
  const groups = Map.groupBy(hosts.values(), ({ host_id }) => businessOf.get(String(host_id)) ?? 0)
  for (const [bizId, own] of groups) await removeHosts(tx, objectOf(model, 'host'), own, bizId, showing)
}

/** Values first, then modules: a move counts as one more revision. */
async function changeHosts(tx: Tx, model: Model, net: NetChanges, showing: Showing): Promise<void> {
  const edits = updated(net.hosts)
  const hosts = await hostsNow(
    tx,
    edits.map(({ key }) => key),
  )
  const wanted = edits.map(({ key, target }) => ({
    host: present(hosts.get(key)),
    stored: { ...target, attributes: target.attributes },
  }))
  await restoreValues(tx, objectOf(model, 'host'), wanted, showing)

  const places = updated(net.places)
  const moving = await hostsNow(
    tx,
    places.map(({ key }) => key),
  )
  const from = await spotsOf(
    tx,
    [...moving.values()].map(({ id }) => id),
  )
  const to = await spotsAt(
    tx,
    places.map(({ target }) => target),
  )
  await relocate(
    tx,
    places.map(({ key, target }) => {
      const host = present(moving.get(key))
      return { host, from: from.get(host.id) ?? [], to: to.get(target) ?? [] }
    }),
  )
}

async function returnHosts(tx: Tx, model: Model, net: NetChanges, showing: Showing): Promise<void> {
  const hosts = created(net.hosts)
  const places = new Map(net.places.flatMap(({ key, target }) => (target ? [[key, target] as const] : [])))
  const revisions = await lastRevisions(
    tx,
    hosts.map(({ host_id: id, revision }) => ({ object: 'host', id, revision })),
  )
  const stored = hosts.map((host) => ({
    host: {
      ...host,
      revision: 1 + present(revisions.get(`host ${host.host_id}`)),
      last_time: Math.max(tx.now, host.last_time + 1),
    },
    place: present(places.get(String(host.host_id))),
  }))
  await restoreHosts(tx, objectOf(model, 'host'), stored, showing)
}

async function returnQueries(tx: Tx, net: NetChanges, { zone }: Showing): Promise<void> {
  for (const { key, target } of updated(net.queries)) await rewriteQuery(tx, target.biz_id, key, target, zone)
  for (const { biz_id: bizId, id, name, info, creator, create_time, revision } of created(net.queries)) {
    const revisions = await lastRevisions(tx, [{ object: 'userapi', id, revision }])
    const stored = { id, name, info, creator, create_time, revision: 1 + present(revisions.get(`userapi ${id}`)) }
    await restoreQuery(tx, { ...stored, bizId }, zone)
  }
}
