// The records of an account by kind: exports write them, imports compare with them.

import { type Reader, slicesBySize, textBytes } from '../../../storage/index.ts'
import { selectObjectAssociations, selectOwnKinds, showObjectAssociation } from '../../associations/index.ts'
import { queryIn } from '../../events/feed/index.ts'
import { withoutCredentials } from '../../events/subscriptions/index.ts'
import {
  type Attributes,
  attributesOfRule,
  inEnglish,
  type Model,
  nameField,
  type ObjectModel,
  objectOf,
  type Showing,
  selectAttributeGroups,
  selectAttributes,
  selectClassifications,
  selectObjects,
  selectUniques,
  showAttribute,
  systemFields,
} from '../../model/index.ts'
import { searchGroups } from '../../privileges/index.ts'
import { chainOf, type Node, selectAnyNodes, showNode } from '../../topology/index.ts'
import { businessNames } from './business-names.ts'
import { associationRecords } from './ends.ts'
import type { AnyRecord, RecordKind, RecordOf } from './records.ts'

/** An existing record with its id in this account. */
export interface Listed<K extends RecordKind = RecordKind> {
  readonly record: RecordOf<K>
  readonly id: number
  /** Part of every account. */
  readonly preset: boolean
}

export interface EstateContext {
  readonly reader: Reader
  readonly account: string
  readonly model: Model
  readonly showing: Showing
}

/** Kinds with so few records that all are listed. */
export type SmallKind = Exclude<RecordKind, 'estate' | 'node' | 'host'>

type Lists = { [K in SmallKind]: (place: EstateContext) => Promise<Listed<K>[]> }

const listed = <K extends RecordKind>(record: RecordOf<K>, id: number, preset: unknown = false): Listed<K> => ({
  record,
  id,
  preset: Boolean(preset),
})

/** The attributes of an instance without its name and unset values. */
export function attributesOfInstance(object: ObjectModel, shown: Attributes): Attributes {
  const own = Object.entries(shown).filter(
    ([id, value]) =>
      value !== null &&
      value !== '' &&
      id !== nameField(object.id) &&
      object.attribute.has(id) &&
      !systemFields.has(id) &&
      id !== 'bk_cloud_id',
  )
  return Object.fromEntries(own)
}

const instanceAttributes = ({ model, showing }: EstateContext, node: Node): Attributes => {
  const object = objectOf(model, node.object_id)
  return attributesOfInstance(object, showNode(object, node, inEnglish(showing)))
}

/** Of these nodes of businesses, those below which there are hosts. */
export async function nodesWithHosts(
  { reader }: Pick<EstateContext, 'reader'>,
  nodes: readonly number[],
): Promise<Set<number>> {
  const rows = await reader
    .selectFrom('business')
    .select('node')
    .where((eb) => reader.dialect.among(eb.ref('node'), nodes, 'integer'))
    .where((eb) =>
      eb.exists(eb.selectFrom('placement').select('host').whereRef('placement.business', '=', 'business.node')),
    )
    .execute()
  return new Set(rows.map(({ node }) => node))
}

/** Saved queries that are read together, if their definitions are small. */
const queriesTogether = 500

/** Saved queries, large ones a few at a time. */
export async function* queryRecords(place: EstateContext): AsyncGenerator<RecordOf<'query'>[]> {
  const { reader, account } = place
  const names = new Map((await businessNames(place)).map(({ node, name }) => [node.id, name]))
  const found = await reader
    .selectFrom('custom_query')
    .select(['id', textBytes('info').as('bytes')])
    .where('account', '=', account)
    .orderBy('biz_id')
    .orderBy('create_time')
    .orderBy('id')
    .execute()
  for (const slice of slicesBySize(found, queriesTogether)) {
    const ids = slice.map(({ id }) => id)
    const rows = await reader
      .selectFrom('custom_query')
      .select(['business', 'name', 'info'])
      .where((eb) => reader.dialect.among(eb.ref('id'), ids, 'text'))
      .orderBy('biz_id')
      .orderBy('create_time')
      .orderBy('id')
      .execute()
    yield rows.flatMap(({ business, name, info }) => {
      const own = names.get(business)
      return own === undefined ? [] : [{ is: 'query' as const, business: own, name, info }]
    })
  }
}

export const lists: Lists = {
  classification: async ({ reader, account }) =>
    (await selectClassifications(reader, account).execute()).map((row) =>
      listed({ is: 'classification', id: row.classification_id, name: row.name, icon: row.icon }, row.id, row.preset),
    ),
  object: async ({ reader, account, model }) => {
    const rows = await selectObjects(reader, account).execute()
    const depth = new Map(chainOf(model).map((object, index) => [object.id, index]))
    const isLevel = (row: (typeof rows)[number]) => row.above !== null && !row.preset
    const rank = (row: (typeof rows)[number]) => (isLevel(row) ? (depth.get(row.object_id) ?? 0) : -1)
    return rows
      .toSorted((one, other) => rank(one) - rank(other))
      .map((row) =>
        listed(
          {
            is: 'object',
            id: row.object_id,
            name: row.name,
            icon: row.icon,
            classification: row.classification_id,
            above: isLevel(row) ? row.above : null,
          },
          row.id,
          row.preset,
        ),
      )
  },
  attribute_group: async ({ reader, account }) =>
    (await selectAttributeGroups(reader, account).execute())
      .toSorted((one, other) => (one.object_id < other.object_id ? -1 : 1))
      .map((row) =>
        listed(
          { is: 'attribute_group', object: row.object_id, id: row.group_id, name: row.name, index: row.position },
          row.id,
          row.preset,
        ),
      ),
  attribute: async ({ reader, account, showing }) =>
    (await selectAttributes(reader, account).execute()).map((row) => {
      const shown = showAttribute(row, inEnglish(showing))
      return listed(
        {
          is: 'attribute',
          object: row.object_id,
          id: row.attribute_id,
          name: row.name,
          type: row.type,
          group: row.group_id,
          option: shown.option ?? null,
          unit: row.unit,
          placeholder: row.placeholder,
          editable: row.editable === 1,
          searchable: row.searchable !== 0,
        },
        row.id,
        row.preset,
      )
    }),
  association_kind: async ({ reader, account }) =>
    (await selectOwnKinds(reader, account).execute()).map((row) =>
      listed(
        {
          is: 'association_kind',
          id: row.kind,
          name: row.name,
          source_note: row.source_note,
          target_note: row.target_note,
          direction: row.direction,
        },
        row.id,
      ),
    ),
  object_association: async ({ reader, account }) =>
    (await selectObjectAssociations(reader, account).execute()).map(showObjectAssociation).map((row) =>
      listed(
        {
          is: 'object_association',
          id: row.bk_obj_asst_id,
          name: row.bk_obj_asst_name,
          source: row.bk_obj_id,
          target: row.bk_asst_obj_id,
          kind: row.bk_asst_id,
          mapping: row.mapping,
          on_delete: row.on_delete,
        },
        row.id,
      ),
    ),
  unique: async ({ reader, account }) =>
    (await selectUniques(reader, account).where('state', '<>', 'refused').execute()).map((row) =>
      listed(
        { is: 'unique', object: row.object_id, attributes: attributesOfRule(row), must_check: row.must_check === 1 },
        row.id,
      ),
    ),
  association: async ({ reader, account }) =>
    (await associationRecords(reader, account)).map((record) => listed(record, 0)),
  role: async ({ reader, account }) => {
    const rows = await reader
      .selectFrom('role_binding')
      .selectAll()
      .where('account', '=', account)
      .orderBy('object_id')
      .orderBy('attribute_id')
      .execute()
    return rows.map(({ object_id: object, attribute_id: attribute, privileges }) =>
      listed({ is: 'role', object, attribute, privileges: JSON.parse(privileges) }, 0, true),
    )
  },
  instance: async (place) => {
    const rows = await selectAnyNodes(place.reader)
      .where('node.account', '=', place.account)
      .where('node.business', 'is', null)
      .where('node.object_id', '<>', 'biz')
      .where('node.built_in', '=', 0)
      .orderBy('node.object_id')
      .orderBy('node.inst_id')
      .execute()
    return rows.map((node) =>
      listed(
        { is: 'instance', object: node.object_id, name: node.name, attributes: instanceAttributes(place, node) },
        node.inst_id,
      ),
    )
  },
  business: async (place) =>
    (await businessNames(place)).map(({ node, name }) =>
      listed({ is: 'business', name, attributes: instanceAttributes(place, node) }, node.inst_id, name === null),
    ),
  query: async (place) => {
    const portions = await Array.fromAsync(queryRecords(place))
    return portions.flat().map((record) => listed(record, 0))
  },
  group: async ({ reader, account }) =>
    (await searchGroups(reader, account, {})).map((row) =>
      listed({ is: 'group', name: row.name, users: row.user_list, gives: JSON.parse(row.privileges) }, row.id),
    ),
  subscription: async (place) => {
    const { reader, account } = place
    const names = new Map((await businessNames(place)).map(({ node, name }) => [node.inst_id, name]))
    const queries = await reader.selectFrom('custom_query').selectAll().where('account', '=', account).execute()
    const called = new Map(
      queries.flatMap(({ id, biz_id, name }) => {
        const business = names.get(biz_id)
        return business === undefined ? [] : [[id, { business, name }]]
      }),
    )
    const rows = await reader
      .selectFrom('subscription')
      .selectAll()
      .where('account', '=', account)
      .orderBy('id')
      .execute()
    return rows.flatMap((row) => {
      const business = row.biz_id === 0 ? '' : names.get(row.biz_id)
      const all = row.form.split(',')
      const events = all.filter((event) => queryIn(event) === undefined)
      const watched = all.flatMap((event) => called.get(queryIn(event) ?? '') ?? [])
      // Its business is archived or deleted. Imported elsewhere it would watch another business, or none.
      if (business === undefined || events.length + watched.length === 0) return []
      return listed(
        {
          is: 'subscription',
          name: row.name,
          business,
          system_name: row.system_name,
          callback_url: withoutCredentials(row.callback_url),
          confirm_mode: row.confirm_mode,
          confirm_pattern: row.confirm_pattern,
          timeout: row.timeout,
          events,
          queries: watched,
          ...(row.filter !== '' && { filter: JSON.parse(row.filter) }),
          ...(row.parallel !== 1 && { parallel: row.parallel }),
          ...(row.format !== 'bk-cmdb' && { format: row.format }),
          ...(row.batch_max > 1 && { batch: { max: row.batch_max, wait_ms: row.batch_wait_ms } }),
        },
        row.id,
      )
    })
  },
  required: async ({ reader, account }) =>
    (await selectAttributes(reader, account).execute())
      .filter((row) => row.required === 1 && !row.preset)
      .map((row) => listed({ is: 'required', object: row.object_id, attribute: row.attribute_id }, row.id)),
  paused: async ({ reader, account }) =>
    (await selectObjects(reader, account).execute())
      .filter((row) => row.paused === 1)
      .map((row) => listed({ is: 'paused', object: row.object_id }, row.id)),
}

export const isSmall = (kind: AnyRecord['is']): kind is SmallKind => Object.hasOwn(lists, kind)
