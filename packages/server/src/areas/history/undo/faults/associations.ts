// Associations that return: that of their objects, both ends, and others in their place.
import { type Rule, rule } from '@mainline/contract'
import type { Tx } from '../../../../storage/index.ts'
import { findHosts } from '../../../hosts/index.ts'
import { type Columns, readLive, text } from '../../recorded/index.ts'
import { created, deleted, type NetChanges, type StoredAssociation } from '../net.ts'
import { collisionsOf, type Holder } from './claims.ts'
import { existence, type Fault, fault } from './existence.ts'

export async function faultsOfAssociations(tx: Tx, net: NetChanges): Promise<Fault[]> {
  const made = created(net.associations)
  if (made.length === 0) return []
  const definitions = await definitionsThen(tx, net)
  /** Another one may have the same identifier by now. */
  const isDefined = ({ association_id: id, source_object, target_object }: StoredAssociation) => {
    const definition = definitions.get(id)
    return definition?.source_object === source_object && definition.target_object === target_object
  }
  const ends = made.flatMap((each) => [
    { each, object: each.source_object, id: each.source_id },
    { each, object: each.target_object, id: each.target_id },
  ])
  const exists = await existence(tx, net, ends)
  const hostExists = await existenceOfHosts(
    tx,
    net,
    ends.filter(({ object }) => object === 'host').map(({ id }) => id),
  )
  const faultOf = ({ id }: StoredAssociation, why: Rule) => fault('instance_association', String(id), why)
  return [
    ...made
      .filter((each) => !isDefined(each))
      .map((each) => faultOf(each, rule('objectGone', { object: each.association_id }))),
    ...ends.flatMap(({ each, object, id }) =>
      (object === 'host' ? hostExists(id) : exists(object, id))
        ? []
        : [faultOf(each, rule('parentGone', { parent: `${object} ${id}` }))],
    ),
    ...(await faultsOfMapping(tx, net, made.filter(isDefined), definitions)),
  ]
}

/** Associations of objects by identifier, as they will be. */
async function definitionsThen(tx: Tx, { definitions }: NetChanges): Promise<Map<string, Columns>> {
  const own = definitions.filter(({ kind }) => kind === 'object_association')
  const live = await readLive(tx, tx.actor.account, 'object_association')
  for (const { key, target } of own) {
    if (target) live.set(key, target)
    else live.delete(key)
  }
  return new Map([...live.values()].map((row) => [text(row, 'association_id'), row]))
}

async function existenceOfHosts(tx: Tx, { hosts }: NetChanges, ids: readonly number[]) {
  const rows = await findHosts(tx, tx.actor.account, ids)
  const there = new Set(rows.map((row) => row.host_id))
  for (const { host_id } of created(hosts)) there.add(host_id)
  for (const { host_id } of deleted(hosts)) there.delete(host_id)
  return (id: number) => there.has(id)
}

type Pair = Pick<StoredAssociation, 'association_id' | 'source_id' | 'target_id'>

/** The same two instances are associated again, or an end has another partner and may have one only. */
async function faultsOfMapping(
  tx: Tx,
  net: NetChanges,
  made: readonly StoredAssociation[],
  definitions: ReadonlyMap<string, Columns>,
): Promise<Fault[]> {
  const claimsOf = ({ association_id: id, source_id: source, target_id: target }: Pair): string[] => {
    const mapping = definitions.get(id)?.mapping
    return [
      `${id} ${source} ${target}`,
      ...(mapping === '1:1' ? [`${id} from ${source}`] : []),
      ...(mapping === 'n:n' ? [] : [`${id} to ${target}`]),
    ]
  }
  const stored = (await neighboursIn(tx, made)).flatMap((row): Holder[] =>
    claimsOf(row).map((claim) => ({ key: String(row.id), claim })),
  )
  const going = new Set(deleted(net.associations).map(({ id }) => String(id)))
  const claimants = made.map((each) => ({ key: String(each.id), claims: claimsOf(each) }))
  const collisions = collisionsOf(claimants, stored, ({ key }) => !going.has(key))
  return [...collisions].map(([key, { holder }]) =>
    fault('instance_association', key, rule('associatedAgain', { holder: `association ${holder}` })),
  )
}

const neighboursIn = (tx: Tx, made: readonly StoredAssociation[]) =>
  tx
    .selectFrom('instance_association')
    .innerJoin('object_association', 'object_association.id', 'instance_association.association')
    .select([
      'instance_association.id',
      'object_association.association_id',
      'instance_association.source_id',
      'instance_association.target_id',
    ])
    .where('instance_association.account', '=', tx.actor.account)
    .where((eb) =>
      eb.or([
        tx.dialect.among(
          eb.ref('instance_association.source_id'),
          made.map((each) => each.source_id),
          'integer',
        ),
        tx.dialect.among(
          eb.ref('instance_association.target_id'),
          made.map((each) => each.target_id),
          'integer',
        ),
      ]),
    )
    .execute()
