// What an account has of each kind, as records: exports write them, imports hold theirs against them.

import type { Reader } from '../../../platform/storage/index.ts'
import { queryIn } from '../../feed/index.ts'
import {
  type Attributes,
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
  showAttribute,
  systemFields,
} from '../../model/index.ts'
import { searchGroups } from '../../privileges/index.ts'
import { withoutCredentials } from '../../subscriptions/index.ts'
import { builtIn, chainOf, type Node, selectAnyNodes, selectBusinesses, show } from '../../topology/index.ts'
import type { AnyRecord, Kind, RecordOf } from './records.ts'

/** A record of what is there, and the id it has here. */
export interface Listed<K extends Kind = Kind> {
  readonly record: RecordOf<K>
  readonly id: number
  /** Every account has it from the start. */
  readonly preset: boolean
}

export interface Place {
  readonly reader: Reader
  readonly account: string
  readonly model: Model
  readonly showing: Showing
}

/** Kinds of which there are few enough to be listed whole. */
export type SmallKind = Exclude<Kind, 'estate' | 'node' | 'host'>

type Lists = { [K in SmallKind]: (place: Place) => Promise<Listed<K>[]> }

const listed = <K extends Kind>(record: RecordOf<K>, id: number, preset: unknown = false): Listed<K> => ({
  record,
  id,
  preset: Boolean(preset),
})

/** What an instance says of itself beside its name: what is unset is left out. */
export function attributesOf(object: ObjectModel, shown: Attributes): Attributes {
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

const instanceAttributes = ({ model, showing }: Place, node: Node): Attributes => {
  const object = objectOf(model, node.object_id)
  return attributesOf(object, show(object, node, inEnglish(showing)))
}

/** Businesses by their node; null is the pool. */
export async function businessNames({ reader, account }: Pick<Place, 'reader' | 'account'>) {
  const rows = await selectBusinesses(reader)
    .where('node.account', '=', account)
    .where('business.living_name', 'is not', null)
    .orderBy('node.inst_id')
    .execute()
  return rows.map((node) => ({ node, name: node.built_in === builtIn.pool ? null : node.name }))
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
    const names = new Map((await businessNames(place)).map(({ node, name }) => [node.id, name]))
    const rows = await place.reader
      .selectFrom('custom_query')
      .selectAll()
      .where('account', '=', place.account)
      .orderBy('biz_id')
      .orderBy('create_time')
      .orderBy('id')
      .execute()
    return rows.flatMap(({ business, name, info }) => {
      const own = names.get(business)
      return own === undefined ? [] : listed({ is: 'query', business: own, name, info }, 0)
    })
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
      // Of a business that is archived or gone: elsewhere it would be about another one, or about nothing.
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
