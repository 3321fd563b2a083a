// Creates records of each kind, and updates built-in records to match.
import { rule } from '@mainline/contract'
import type { Spelling } from '../../../http/dialect.ts'
import type { Outbound } from '../../../outbound/index.ts'
import type { Tx } from '../../../storage/index.ts'
import { createInstanceAssociation, createKind, createObjectAssociation } from '../../associations/index.ts'
import { queryEvent } from '../../events/feed/index.ts'
import { pause, subscribe } from '../../events/subscriptions/index.ts'
import {
  type Attributes,
  addUnique,
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
import { createQuery, type QueryReading } from '../../queries/run/index.ts'
import {
  createBusiness,
  createDetached,
  createLevel,
  type LevelRules,
  updateBusiness,
  updateDetached,
} from '../../topology/index.ts'
import { businessCalled, missing } from './business-names.ts'
import { idOfEnd } from './ends.ts'
import type { SmallKind } from './list.ts'
import type { RecordOf } from './records.ts'

export interface EstateServices {
  readonly showing: Showing
  readonly rules: LevelRules
  readonly groupIdentifiers: Spelling
  readonly reading: QueryReading
  readonly outbound: Outbound
}

type Make = { [K in SmallKind]: (tx: Tx, record: RecordOf<K>, making: EstateServices) => Promise<unknown> }
type UpdatePreset = {
  [K in SmallKind]?: (tx: Tx, id: number, record: RecordOf<K>, making: EstateServices) => Promise<unknown>
}

/** Defaults that the record does not have: a new instance gets them, so they are cleared. */
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

const attributeFields = (record: RecordOf<'attribute'>) => ({
  bk_property_name: record.name,
  bk_property_group: record.group,
  // Null would leave the option unchanged.
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
  attribute_group: (tx, { object, id, name, index }, { showing, groupIdentifiers }) =>
    createAttributeGroup(
      tx,
      { bk_obj_id: object, bk_group_id: id, bk_group_name: name, bk_group_index: index },
      showing,
      groupIdentifiers,
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
    if (some(unset)) await updateDetached(tx, object, Number(made.bk_inst_id), unset, showing)
  },
  business: async (tx, { name, attributes }, { showing }) => {
    const made = await createBusiness(tx, { ...attributes, bk_biz_name: name }, showing)
    const unset = cleared(objectOf(await modelIn(tx), 'biz'), attributes)
    if (some(unset)) await updateBusiness(tx, Number(made.bk_biz_id), unset, showing)
  },
  association_kind: (tx, { id, name, source_note, target_note, direction }, { showing }) =>
    createKind(
      tx,
      { bk_asst_id: id, bk_asst_name: name, src_des: source_note, dest_des: target_note, direction },
      showing,
    ),
  object_association: (tx, { id, name, source, target, kind, mapping, on_delete }) =>
    createObjectAssociation(tx, {
      bk_obj_asst_id: id,
      bk_obj_asst_name: name,
      bk_obj_id: source,
      bk_asst_obj_id: target,
      bk_asst_id: kind,
      mapping,
      on_delete,
    }),
  unique: async (tx, { object, attributes, must_check }, { showing }) => {
    for (const attribute of attributes) await idOf(tx, 'attribute', object, attribute)
    await addUnique(tx, object, attributes.toSorted(), must_check, showing)
  },
  association: async (tx, { association, source, target }) =>
    createInstanceAssociation(tx, {
      bk_obj_asst_id: association,
      bk_inst_id: await idOfEnd(tx, source, 'source'),
      bk_asst_inst_id: await idOfEnd(tx, target, 'target'),
    }),
  query: async (tx, { business, name, info }, { reading }) =>
    createQuery(tx, { bizId: (await businessCalled(tx, business)).id, name, info }, reading),
  group: async (tx, { name, users, gives }) => {
    // A group cannot be created without members, but all members may have been removed since.
    await createGroup(tx, { group_name: name, user_list: users || 'nobody' })
    const made = (await searchGroups(tx, tx.actor.account, { group_name: name })).find((row) => row.name === name)
    const id = made?.group_id ?? ''
    if (users === '') await updateGroup(tx, id, { user_list: '' })
    const { global_busi, back_config, model_config } = gives
    await giveGroup(tx, id, { sys_config: { global_busi }, back_config, model_config })
  },
  subscription: async (tx, record, { outbound, reading }) => {
    const bizId = record.business === '' ? 0 : (await businessCalled(tx, record.business)).id
    const queries = await Promise.all(record.queries.map((each) => queryCalled(tx, each)))
    const { name, system_name, callback_url, confirm_mode, confirm_pattern, timeout, events, filter } = record
    const { parallel, format, batch } = record
    const settings = { confirm_mode, confirm_pattern, timeout, filter, parallel, format, batch }
    const sent = { subscription_name: name, system_name, callback_url, ...settings }
    const form = [...events, ...queries.map(queryEvent)].join(',')
    const made = await subscribe(
      tx,
      bizId,
      { ...sent, subscription_form: form } as Parameters<typeof subscribe>[2],
      outbound,
      reading,
    )
    // Paused: its receiver does not know the new secret, and may still receive events of the exported estate.
    await pause(tx, { bizId, id: made.subscription_id })
  },
  required: async (tx, { object, attribute }, { showing }) =>
    updateAttribute(tx, await idOf(tx, 'attribute', object, attribute), { isrequired: true }, showing),
  paused: async (tx, { object }, { showing }) =>
    updateObject(tx, await idOf(tx, 'object', object), { bk_ispaused: true }, showing),
}

/** Updates built-in records, and only in an account that is not in use yet. */
export const updatePreset: UpdatePreset = {
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
