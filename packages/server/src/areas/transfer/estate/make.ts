// How each kind of record is made, and how what every account has is made like it.
import { type Problem, problem, type Rule, rule } from '@mainline/contract'
import type { Outbound } from '../../../platform/outbound/index.ts'
import type { Tx } from '../../../platform/storage/index.ts'
import { queryEvent } from '../../feed/index.ts'
import {
  type Attributes,
  createAttribute,
  createAttributeGroup,
  createClassification,
  createObject,
  modelIn,
  nameField,
  type ObjectModel,
  objectOf,
  type Showing,
  updateAttribute,
  updateAttributeGroup,
  updateClassification,
  updateObject,
} from '../../model/index.ts'
import { bindRole, createGroup, giveGroup, searchGroups, updateGroup } from '../../privileges/index.ts'
import { createQuery } from '../../queries/index.ts'
import { pause, subscribe } from '../../subscriptions/index.ts'
import {
  createBusiness,
  createDetached,
  createLevel,
  type LevelRules,
  updateBusiness,
  updateDetached,
} from '../../topology/index.ts'
import { businessNames, type SmallKind } from './list.ts'
import type { RecordOf } from './records.ts'

export interface Making {
  readonly showing: Showing
  readonly rules: LevelRules
  readonly outbound: Outbound
}

type Make = { [K in SmallKind]: (tx: Tx, record: RecordOf<K>, making: Making) => Promise<unknown> }
type Remake = { [K in SmallKind]?: (tx: Tx, id: number, record: RecordOf<K>, making: Making) => Promise<unknown> }

/** Defaults that the record does without: what is new has them all, so they are cleared again. */
export function cleared(object: ObjectModel, given: Attributes): Attributes {
  const unset = object.attributes.filter(({ id, choices, required }) => {
    const value = given[id]
    return (
      !required &&
      choices.some((choice) => choice.is_default) &&
      (value === undefined || value === null || value === '')
    )
  })
  return Object.fromEntries(unset.map(({ id }) => [id, null]))
}

const some = (attributes: Attributes) => Object.keys(attributes).length > 0

const missing = (what: Rule, name: string | null): Problem =>
  problem('badRow', { why: rule('noSuchName', { what, name: name ?? '' }) })

/** The public id of a business by its name. */
export async function businessCalled(tx: Tx, name: string | null): Promise<{ id: number; node: number }> {
  const found = (await businessNames({ reader: tx, account: tx.actor.account })).find((each) => each.name === name)
  if (!found) throw missing(rule('business'), name)
  return { id: found.node.inst_id, node: found.node.id }
}

const attributeFields = (record: RecordOf<'attribute'>) => ({
  bk_property_name: record.name,
  bk_property_group: record.group,
  // Null would leave the option as it is.
  option: record.option ?? '',
  unit: record.unit,
  placeholder: record.placeholder,
  editable: record.editable,
  searchable: record.searchable,
})

const idOf = async (tx: Tx, table: 'object' | 'attribute', object: string, attribute = ''): Promise<number> => {
  const { account } = tx.actor
  const row =
    table === 'object'
      ? tx.selectFrom('object').select('id').where('account', '=', account).where('object_id', '=', object)
      : tx
          .selectFrom('attribute')
          .select('id')
          .where('account', '=', account)
          .where('object_id', '=', object)
          .where('attribute_id', '=', attribute)
  const found = await row.executeTakeFirst()
  if (!found) throw missing(rule(table === 'object' ? 'model' : 'attributeCalled'), attribute || object)
  return found.id
}

export const make: Make = {
  classification: (tx, { id, name, icon }, { showing, rules }) =>
    createClassification(
      tx,
      { bk_classification_id: id, bk_classification_name: name, bk_classification_icon: icon },
      showing,
      rules.identifiers,
    ),
  object: (tx, { id, name, icon, classification, above }, { showing, rules }) =>
    above === null
      ? createObject(
          tx,
          { bk_obj_id: id, bk_obj_name: name, bk_obj_icon: icon, bk_classification_id: classification },
          showing,
          rules.identifiers,
        )
      : createLevel(tx, { id, name, icon, classification, above }, rules, showing),
  attribute_group: (tx, { object, id, name, index }, { showing }) =>
    createAttributeGroup(
      tx,
      { bk_obj_id: object, bk_group_id: id, bk_group_name: name, bk_group_index: index },
      showing,
    ),
  attribute: (tx, record, { showing }) =>
    createAttribute(
      tx,
      {
        bk_obj_id: record.object,
        bk_property_id: record.id,
        bk_property_type: record.type,
        ...attributeFields(record),
      } as Parameters<typeof createAttribute>[1],
      showing,
    ),
  role: (tx, { object, attribute, privileges }) =>
    bindRole(tx, { bk_obj_id: object, bk_property_id: attribute }, privileges),
  instance: async (tx, { object: id, name, attributes }, { showing }) => {
    const model = await modelIn(tx)
    const object = model.objects.get(id)
    if (!object || object.above !== null) throw missing(rule('model'), id)
    const made = await createDetached(tx, object, { ...attributes, [nameField(id)]: name }, showing)
    const unset = cleared(object, attributes)
    if (some(unset)) await updateDetached(tx, object, made.bk_inst_id as number, unset, showing)
  },
  business: async (tx, { name, attributes }, { showing }) => {
    const made = await createBusiness(tx, { ...attributes, bk_biz_name: name }, showing)
    const unset = cleared(objectOf(await modelIn(tx), 'biz'), attributes)
    if (some(unset)) await updateBusiness(tx, made.bk_biz_id as number, unset, showing)
  },
  query: async (tx, { business, name, info }, { showing }) =>
    createQuery(tx, { bizId: (await businessCalled(tx, business)).id, name, info }, showing.zone),
  group: async (tx, { name, users, gives }) => {
    // None is made without a member; all of them may have left it since.
    await createGroup(tx, { group_name: name, user_list: users || 'nobody' })
    const made = (await searchGroups(tx, tx.actor.account, { group_name: name })).find((row) => row.name === name)
    const id = made?.group_id ?? ''
    if (users === '') await updateGroup(tx, id, { user_list: '' })
    const { global_busi, back_config, model_config } = gives
    await giveGroup(tx, id, { sys_config: { global_busi }, back_config, model_config })
  },
  subscription: async (tx, record, { outbound, showing }) => {
    const bizId = record.business === '' ? 0 : (await businessCalled(tx, record.business)).id
    const queries = await Promise.all(record.queries.map((each) => queryCalled(tx, each)))
    const { name, system_name, callback_url, confirm_mode, confirm_pattern, timeout, events } = record
    const sent = { subscription_name: name, system_name, callback_url, confirm_mode, confirm_pattern, timeout }
    const form = [...events, ...queries.map(queryEvent)].join(',')
    const made = await subscribe(
      tx,
      bizId,
      { ...sent, subscription_form: form } as Parameters<typeof subscribe>[2],
      outbound,
      showing.zone,
    )
    // Its receiver does not know the new secret, and may be the one that the old estate still speaks to.
    await pause(tx, { bizId, id: made.subscription_id })
  },
  required: async (tx, { object, attribute }, { showing }) =>
    updateAttribute(tx, await idOf(tx, 'attribute', object, attribute), { isrequired: true }, showing),
  paused: async (tx, { object }, { showing }) =>
    updateObject(tx, await idOf(tx, 'object', object), { bk_ispaused: true }, showing),
}

/** Only what every account has from the start is ever changed, and only where nobody has begun to use it. */
export const remake: Remake = {
  classification: (tx, id, { name, icon }, { showing }) =>
    updateClassification(tx, id, { bk_classification_name: name, bk_classification_icon: icon }, showing),
  object: (tx, id, { name, icon, classification }, { showing }) =>
    updateObject(tx, id, { bk_obj_name: name, bk_obj_icon: icon, bk_classification_id: classification }, showing),
  attribute_group: (tx, id, { name, index }, { showing }) =>
    updateAttributeGroup(tx, id, { bk_group_name: name, bk_group_index: index }, showing),
  attribute: (tx, id, record, { showing }) =>
    updateAttribute(tx, id, attributeFields(record) as Parameters<typeof updateAttribute>[2], showing),
  role: (tx, _, record, making) => make.role(tx, record, making),
  business: async (tx, id, { attributes }, { showing }) => {
    const biz = objectOf(await modelIn(tx), 'biz')
    return updateBusiness(tx, id, { ...cleared(biz, attributes), ...attributes }, showing)
  },
}

async function queryCalled(tx: Tx, { business, name }: { business: string | null; name: string }): Promise<string> {
  const { node } = await businessCalled(tx, business)
  const found = await tx
    .selectFrom('custom_query')
    .select('id')
    .where('business', '=', node)
    .where('name', '=', name)
    .executeTakeFirst()
  if (!found) throw missing(rule('query'), name)
  return found.id
}
