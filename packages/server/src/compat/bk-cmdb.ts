// All differences that existing clients expect from the contract. Nothing of a dialect is elsewhere.

import {
  audit,
  businesses,
  ConditionBody,
  type DataOf,
  type Endpoint,
  FieldNames,
  Found,
  favourites,
  instances,
  model,
  modules,
  Problem,
  queries,
  rule,
  sets,
  subscriptions,
  Timestamp,
  topology,
} from '@mainline/contract'
import Type, { type Static, type TSchema } from 'typebox'
import type { ServeConfig } from '../common/config.ts'
import { isKeyOf } from '../common/keys.ts'
import type { Zone } from '../common/time.ts'
import type { Fields, FieldType } from '../condition/condition.ts'
import { parseCondition } from '../condition/parse.ts'
import { sift } from '../condition/sift.ts'
import { asDocumented, type Dialect } from '../http/dialect.ts'
import { mapRows } from '../http/large-list.ts'
import { hostMoves, hostSearch } from './hosts.ts'
import { readMultilike } from './multilike.ts'
import { given, lacking, override, requiring } from './override.ts'
import { cappedPage, ignoringUnknownSort, openPage, withAnyLimit, withPage } from './pages.ts'
import { processRoutes } from './processes.ts'

export const dialectOf = ({ compat, timezone }: Pick<ServeConfig, 'compat' | 'timezone'>): Dialect =>
  compat === 'document' ? asDocumented : bkCmdb(timezone)

/** The dialect of clients of bk-cmdb 3.2. */
function bkCmdb(zone: Zone): Dialect {
  const overrides = new Map([
    override(sets.searchSet, {
      read: (sent) => cappedPage(withPage(readMultilike(sent))),
      sends: withAnyLimit(Type.Partial(sets.searchSet.body)),
      neverRefuses: ['pageLimit'],
      run: ignoringUnknownSort,
    }),
    override(sets.createSet, {
      sends: lacking(sets.createSet.body, ['bk_biz_id', 'bk_supplier_account']),
      read: (sent, { actor, params }) => ({
        ...sent,
        bk_biz_id: given(sent.bk_biz_id) ?? params.bk_biz_id,
        bk_supplier_account: given(sent.bk_supplier_account) ?? actor.account,
      }),
    }),
    override(sets.updateSet, {
      sends: lacking(sets.updateSet.body, ['bk_biz_id']),
      read: (sent, { params }) => ({ ...sent, bk_biz_id: params.bk_biz_id }),
    }),
    override(modules.updateModule, { read: ({ bk_biz_id: _, ...sent }) => sent }),
    override(queries.searchQuery, {
      read: (sent) => cappedPage(readMultilike(sent)),
      sends: withAnyLimit(queries.searchQuery.body),
      neverRefuses: ['pageLimit'],
      run: ignoringUnknownSort,
    }),
    override(queries.getQuery, {
      data: Type.Union([queries.getQuery.data, nothingFound]),
      run: (run, request) =>
        run(request).catch((error: unknown) => {
          if (error instanceof Problem && error.kind === 'notFound') return {}
          throw error
        }),
    }),
    override(audit.getOperationLog, {
      read: (sent) => cappedPage(readMultilike(sent)),
      sends: withAnyLimit(audit.getOperationLog.body),
      neverRefuses: ['pageLimit'],
      run: async (run, request) => {
        const answer = await ignoringUnknownSort(run, request)
        return mapRows(answer, (row: (typeof answer)['info'][number]) => ({
          ...row,
          ...(row.op_target === 'object' && row.bk_obj_id !== undefined && { op_target: row.bk_obj_id }),
        }))
      },
    }),
    override(topology.createLevel, {
      data: Type.Union([model.ObjectRecord, topology.LevelPlan]),
      run: async (run, request, ask) => {
        const done = await run(request)
        if (done !== 'success') return done
        const { actor, body } = request
        const named = { bk_obj_id: body.bk_obj_id, bk_supplier_account: actor.account }
        const [created] = await ask(model.searchObjects, { actor, params: {}, body: named })
        return created ?? null
      },
    }),
    override(subscriptions.searchSubscription, {
      read: (sent) => openPage(readMultilike({ ...sent, fields: sent.fields ?? [], condition: sent.condition ?? {} })),
      body: SubscriptionSearch,
      sends: Type.Partial(SubscriptionSearch),
      data: Found(subscriptions.SubscriptionRecord),
      run: async (run, request) => {
        const { page, fields, condition } = request.body as Static<typeof SubscriptionSearch>
        const all = { ...request, body: { page: { sort: page?.sort ?? '' } } }
        const parsed = parseCondition(condition, { fields: subscriptionFields, zone, text: 'whole' })
        const rows = await sift(await ignoringUnknownSort(run, all), {
          condition: parsed,
          fields: subscriptionFields,
          view: (row) => ({ builtIn: 0, value: (field) => comparable(field, row) }),
        })
        const start = page?.start ?? 0
        const shown = rows.slice(start, page?.limit === undefined ? undefined : start + page.limit)
        return { count: rows.length, info: shown.map((row) => pick(row, fields)) }
      },
    }),
    ...otherSearches.map((endpoint) =>
      override<Endpoint>(endpoint, { read: (sent) => openPage(readMultilike(sent)), run: ignoringUnknownSort }),
    ),
    hostSearch,
    ...hostMoves,
    override(favourites.updateFavourite, { body: requiring(favourites.updateFavourite.body, ['name']) }),
    override(model.createAttribute, {
      read: ({ bk_supplier_account, bk_property_group, ...sent }) => ({
        ...sent,
        bk_supplier_account: given(bk_supplier_account),
        bk_property_group: given(bk_property_group),
      }),
    }),
  ])
  return {
    name: 'bk-cmdb',
    success: 'success',
    language: 'zh-cn',
    identifiers: { pattern: /^[a-z][a-z0-9_]*$/, rule: rule('attributeId', { max: 64 }) },
    groupIdentifiers: { pattern: /^[A-Za-z0-9_-]{1,64}$/, rule: rule('groupId', { max: 64 }) },
    savedQueries: { ignoresUnknownFields: true, readsMultilike: true },
    status: () => 200,
    overrideOf: ({ name }) => overrides.get(name),
    routes: processRoutes,
  }
}

/** The answer in place of a missing record. */
const nothingFound = Type.Object({}, { maxProperties: 0 })

/** Searches that refuse a limit above 200, but accept one below 1. */
const otherSearches = [
  businesses.searchBusiness,
  businesses.searchPool,
  modules.searchModule,
  instances.searchInstance,
  favourites.searchFavourite,
]

const SubscriptionSearch = Type.Object({
  ...subscriptions.searchSubscription.body.properties,
  condition: ConditionBody,
  fields: FieldNames,
})

type SubscriptionRow = DataOf<typeof subscriptions.searchSubscription>[number]

/** Fields by which subscriptions can be filtered: all shown ones except statistics. */
const subscriptionFields: Fields = new Map(
  Object.entries(subscriptions.SubscriptionRecord.properties as Record<string, TSchema & { type?: string }>).flatMap(
    ([name, schema]) => (schema.type === 'object' ? [] : [[name, { type: fieldType(schema), at: { column: name } }]]),
  ),
)

function fieldType(schema: TSchema & { type?: string }): FieldType {
  if (schema === Timestamp) return 'instant'
  return schema.type === 'integer' ? 'integer' : 'text'
}

const comparable = (field: string, row: SubscriptionRow): unknown =>
  field === 'last_time' ? Date.parse(row.last_time) : isKeyOf(row, field) ? row[field] : undefined

const pick = (row: SubscriptionRow, fields: readonly string[]) =>
  fields.length === 0 ? row : Object.fromEntries(Object.entries(row).filter(([name]) => fields.includes(name)))
