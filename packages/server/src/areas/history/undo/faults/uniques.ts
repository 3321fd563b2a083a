// Values that another instance has now, and that a unique rule keeps apart.
import { type Rule, rule } from '@mainline/contract'
import type { Tx } from '../../../../storage/index.ts'
import { findHosts, valuesOfHost } from '../../../hosts/index.ts'
import { type Candidate, type Model, nameField, takenValues } from '../../../model/index.ts'
import { nodeKey, type RowKind } from '../../recorded/index.ts'
import { created, deleted, type NetChanges, updated } from '../net.ts'
import { type Fault, fault, keyOf, nodesAt } from './existence.ts'

interface Returning extends Candidate {
  readonly kind: RowKind
  readonly key: string
}

export async function faultsOfUniques(tx: Tx, model: Model, net: NetChanges): Promise<Fault[]> {
  const objects = new Set([...net.nodes.map(({ key }) => key.split(' ')[0] ?? ''), 'host'])
  const faults: Fault[] = []
  for (const id of objects) {
    const object = model.objects.get(id)
    if (!object || object.uniques.length === 0) continue
    const { returning, leaving } = id === 'host' ? await hostsOf(tx, net) : await nodesOf(tx, net, id)
    const taken = await takenValues(tx, object, returning, leaving)
    for (const [index, { kind, key }] of returning.entries()) {
      const found = taken[index]
      if (!found) continue
      faults.push(fault(kind, key, await whyTaken(tx, id, found.rule.attributes.join(' + '), found.holder)))
    }
  }
  return faults
}

async function nodesOf(tx: Tx, { nodes }: NetChanges, object: string) {
  const own = nodes.filter(({ now, target }) => (target ?? now)?.object_id === object)
  const stored = await nodesAt(
    tx,
    own.flatMap(({ now }) => (now ? [{ object, id: now.inst_id }] : [])),
  )
  const idOf = (key: string) => stored.get(key)?.id
  const targets = [...created(own), ...updated(own).map(({ target }) => target)]
  const returning = targets
    .filter(({ built_in }) => built_in === 0)
    .map((node): Returning => {
      const [key, instance] = [keyOf(node), idOf(keyOf(node))]
      const attributes = { ...node.attributes, [nameField(object)]: node.name }
      return { kind: 'node', key, attributes, ...(instance !== undefined && { instance }) }
    })
  return { returning, leaving: deleted(own).flatMap((node) => idOf(keyOf(node)) ?? []) }
}

async function hostsOf(tx: Tx, { hosts }: NetChanges) {
  const stored = await findHosts(
    tx,
    tx.actor.account,
    hosts.flatMap(({ now }) => (now ? [now.host_id] : [])),
  )
  const ids = new Map(stored.map(({ host_id, id }) => [host_id, id]))
  const returning = [...created(hosts), ...updated(hosts).map(({ target }) => target)].map((host): Returning => {
    const instance = ids.get(host.host_id)
    const attributes = valuesOfHost({ ...host, attributes: JSON.stringify(host.attributes) })
    return { kind: 'host', key: String(host.host_id), attributes, ...(instance !== undefined && { instance }) }
  })
  return { returning, leaving: deleted(hosts).flatMap(({ host_id }) => ids.get(host_id) ?? []) }
}

async function whyTaken(tx: Tx, object: string, attributes: string, holder: number | undefined): Promise<Rule> {
  if (holder === undefined) return rule('valuesEqual', { attributes })
  const { id } =
    object === 'host'
      ? await tx.selectFrom('host').select('host_id as id').where('id', '=', holder).executeTakeFirstOrThrow()
      : await tx.selectFrom('node').select('inst_id as id').where('id', '=', holder).executeTakeFirstOrThrow()
  return rule('valuesTaken', { attributes, holder: nodeKey(object, id) })
}
