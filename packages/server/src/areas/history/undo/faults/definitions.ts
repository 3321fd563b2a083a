// Definitions that others need: what was put into them since would be lost, and what they need may be gone.
import { type Rule, rule } from '@mainline/contract'
import type { Tx } from '../../../../storage/index.ts'
import { presetKinds } from '../../../associations/index.ts'
import { attributesOfRule, selectUniques } from '../../../model/index.ts'
import { type Columns, readLive, text } from '../../recorded/index.ts'
import type { NetChanges, NetDefinition } from '../net.ts'
import { type Fault, fault } from './existence.ts'

const deletedKeys = (net: readonly NetDefinition[], kind: NetDefinition['kind']) =>
  new Set(net.filter((each) => each.kind === kind && each.now && !each.target).map(({ key }) => key))

export async function faultsOfDefinitions(tx: Tx, { definitions, nodes, associations }: NetChanges): Promise<Fault[]> {
  if (definitions.length === 0) return []
  const doomed = (kind: NetDefinition['kind']) => deletedKeys(definitions, kind)
  const faults: Fault[] = []
  for (const each of definitions) {
    if (!each.now || each.target) continue
    const inside = await somethingInside(tx, each, each.now, {
      attributes: doomed('attribute'),
      groups: doomed('attribute_group'),
      objects: doomed('object'),
      objectAssociations: doomed('object_association'),
      nodes: new Set(nodes.flatMap(({ key, now, target }) => (now && !target ? [key] : []))),
      associations: new Set(associations.flatMap(({ key, now, target }) => (now && !target ? [key] : []))),
    })
    if (inside) faults.push(fault(each.kind, each.key, inside))
  }
  return [...faults, ...(await missingGrounds(tx, definitions))]
}

interface Doomed {
  readonly attributes: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
  readonly objects: ReadonlySet<string>
  readonly objectAssociations: ReadonlySet<string>
  readonly nodes: ReadonlySet<string>
  readonly associations: ReadonlySet<string>
}

const still = (what: string): Rule => rule('stillInside', { what })

async function somethingInside(
  tx: Tx,
  { kind }: NetDefinition,
  row: Columns,
  doomed: Doomed,
): Promise<Rule | undefined> {
  const { account } = tx.actor
  switch (kind) {
    case 'classification': {
      const id = text(row, 'classification_id')
      const rows = await tx
        .selectFrom('object')
        .select('object_id')
        .where('account', '=', account)
        .where('classification_id', '=', id)
        .execute()
      const left = rows.find(({ object_id }) => !doomed.objects.has(object_id))
      return left && still(`object ${left.object_id}`)
    }
    case 'object':
      return insideObject(tx, text(row, 'object_id'), doomed)
    case 'attribute': {
      if (doomed.objects.has(text(row, 'object_id'))) return undefined
      const rules = await selectUniques(tx, account).where('object_id', '=', text(row, 'object_id')).execute()
      const about = rules.find((each) => attributesOfRule(each).includes(text(row, 'attribute_id')))
      return about && still(`unique rule ${about.id}`)
    }
    case 'attribute_group': {
      const rows = await tx
        .selectFrom('attribute')
        .select(['id', 'attribute_id'])
        .where('account', '=', account)
        .where('object_id', '=', text(row, 'object_id'))
        .where('group_id', '=', text(row, 'group_id'))
        .execute()
      const left = rows.find(({ id }) => !doomed.attributes.has(String(id)))
      return left && still(`attribute ${left.attribute_id}`)
    }
    case 'association_kind': {
      const rows = await tx
        .selectFrom('object_association')
        .select(['id', 'association_id'])
        .where('account', '=', account)
        .where('kind', '=', text(row, 'kind'))
        .execute()
      const left = rows.find(({ id }) => !doomed.objectAssociations.has(String(id)))
      return left && still(left.association_id)
    }
    case 'object_association': {
      const rows = await tx
        .selectFrom('instance_association')
        .select('id')
        .where('association', '=', Number(row.id))
        .execute()
      return rows.some(({ id }) => !doomed.associations.has(String(id))) ? still('association') : undefined
    }
    default:
      return undefined
  }
}

async function insideObject(tx: Tx, object: string, doomed: Doomed): Promise<Rule | undefined> {
  const { account } = tx.actor
  const instances = await tx
    .selectFrom('node')
    .select('inst_id')
    .where('account', '=', account)
    .where('object_id', '=', object)
    .execute()
  const left = instances.find(({ inst_id: id }) => !doomed.nodes.has(`${object} ${id}`))
  if (left) return still(`${object} ${left.inst_id}`)
  const attributes = await tx
    .selectFrom('attribute')
    .select(['id', 'attribute_id'])
    .where('account', '=', account)
    .where('object_id', '=', object)
    .execute()
  const attribute = attributes.find(({ id }) => !doomed.attributes.has(String(id)))
  if (attribute) return still(`attribute ${attribute.attribute_id}`)
  const groups = await tx
    .selectFrom('attribute_group')
    .select(['id', 'group_id'])
    .where('account', '=', account)
    .where('object_id', '=', object)
    .execute()
  const group = groups.find(({ id }) => !doomed.groups.has(String(id)))
  if (group) return still(`attribute group ${group.group_id}`)
  const associations = await tx
    .selectFrom('object_association')
    .select(['id', 'association_id'])
    .where('account', '=', account)
    .where((eb) => eb.or([eb('source_object', '=', object), eb('target_object', '=', object)]))
    .execute()
  const association = associations.find(({ id }) => !doomed.objectAssociations.has(String(id)))
  if (association) return still(association.association_id)
  const [about] = await selectUniques(tx, account).where('object_id', '=', object).execute()
  return about && still(`unique rule ${about.id}`)
}

/** The object of an attribute or a group, the group of an attribute, the classification of an object, and what an association is of. */
async function missingGrounds(tx: Tx, definitions: readonly NetDefinition[]): Promise<Fault[]> {
  const targets = definitions.flatMap(({ kind, key, target }) => (target ? [{ kind, key, target }] : []))
  const rowsOf = async (kind: NetDefinition['kind']) => {
    const own = new Map(definitions.filter((each) => each.kind === kind).map(({ key, target }) => [key, target]))
    const live = [...(await readLive(tx, tx.actor.account, kind))].filter(([key]) => !own.has(key))
    return [...live.map(([, row]) => row), ...[...own.values()].filter((row) => row !== undefined)]
  }
  const idsOf = (rows: readonly Columns[], ...fields: string[]) =>
    new Set(rows.map((row) => fields.map((field) => text(row, field)).join(' ')))
  const objects = idsOf(await rowsOf('object'), 'object_id')
  const classifications = idsOf(await rowsOf('classification'), 'classification_id')
  const groups = idsOf(await rowsOf('attribute_group'), 'object_id', 'group_id')
  const isPart = targets.some(({ kind }) => kind === 'object_association')
  const kinds = idsOf(isPart ? [...presetKinds(tx.actor.account), ...(await rowsOf('association_kind'))] : [], 'kind')
  const lacks = (isThere: boolean, parent: string) => (isThere ? [] : [parent])
  const missing = ({ kind, target }: (typeof targets)[number]): string[] => {
    const value = (field: string) => text(target, field)
    const lacksObject = (field: string) => lacks(objects.has(value(field)), `object ${value(field)}`)
    switch (kind) {
      case 'object':
        return lacks(classifications.has(value('classification_id')), `classification ${value('classification_id')}`)
      case 'attribute_group':
        return lacksObject('object_id')
      case 'attribute':
        return [
          ...lacksObject('object_id'),
          ...lacks(groups.has(`${value('object_id')} ${value('group_id')}`), `attribute group ${value('group_id')}`),
        ]
      case 'object_association':
        return [
          ...lacksObject('source_object'),
          ...lacksObject('target_object'),
          ...lacks(kinds.has(value('kind')), `association kind ${value('kind')}`),
        ]
      default:
        return []
    }
  }
  return targets.flatMap((each) =>
    missing(each)
      .slice(0, 1)
      .map((parent) => fault(each.kind, each.key, rule('parentGone', { parent }))),
  )
}
