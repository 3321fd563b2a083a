// What existing clients expect where it differs from the document: the whole of each dialect, and nothing of it elsewhere.
import {
  audit,
  businesses,
  ConditionBody,
  type DataOf,
  defaultLimit,
  type Endpoint,
  FieldNames,
  Found,
  favourites,
  hosts,
  instances,
  type Language,
  Limit,
  model,
  modules,
  Problem,
  type ProblemKind,
  pageLimit,
  queries,
  type Rule,
  rule,
  sets,
  subscriptions,
  Timestamp,
  topology,
} from '@mainline/contract'
import Type, { type Static, type TObject, type TSchema } from 'typebox'
import type { Fields, FieldType } from '../condition/condition.ts'
import { meets } from '../condition/evaluate.ts'
import { parseCondition } from '../condition/parse.ts'
import { sift } from '../condition/sift.ts'
import type { ServeConfig } from '../config.ts'
import type { Zone } from '../time.ts'
import type { Naming, Request } from './route.ts'

/** How identifiers are spelled that users give to objects and their classifications. */
export interface Spelling {
  readonly pattern: RegExp
  readonly rule: Rule
}

export interface Dialect {
  readonly name: ServeConfig['compat']
  /** The `bk_error_msg` of a success. */
  readonly success: string
  /** For callers who ask for none that we have. */
  readonly language: Language
  readonly identifiers: Spelling
  /** The HTTP status of a failure. */
  readonly status: (problem: Problem) => number
  readonly overrideOf: (endpoint: Endpoint) => Override | undefined
}

type Sent = Record<string, unknown>
/** Asks another operation in the name of the same caller. */
export type Ask = <E extends Endpoint>(
  endpoint: E,
  request: Pick<Request<E>, 'actor' | 'params' | 'body'>,
) => Promise<DataOf<E>>

/** One operation, asked or answered differently. */
export interface Override<E extends Endpoint = Endpoint> {
  /** What was sent, in the words of the document. It is checked afterwards, like any other body. */
  readonly read?: (sent: Sent, request: Naming<E>) => Sent
  /** What the body is checked against, in place of the endpoint's own. */
  readonly body?: TSchema
  /** What clients may send, for the API document, where `read` supplies what is missing. */
  readonly sends?: TSchema
  /** What is answered, where it differs from the endpoint's own. */
  readonly data?: TSchema
  /** Problems that this dialect does not answer with. */
  readonly neverRefuses?: readonly ProblemKind[]
  readonly run?: (run: (request: Request<E>) => Promise<DataOf<E>>, request: Request<E>, ask: Ask) => Promise<unknown>
}

export const lettersOnly: Spelling = { pattern: /^[A-Za-z]+$/, rule: rule('lettersOnly') }

export const asDocumented: Dialect = {
  name: 'document',
  success: '',
  language: 'en',
  identifiers: lettersOnly,
  status: (problem) => problem.status,
  overrideOf: () => undefined,
}

export const dialectOf = ({ compat, timezone }: Pick<ServeConfig, 'compat' | 'timezone'>): Dialect =>
  compat === 'document' ? asDocumented : bkCmdb(timezone)

/** What clients of version 3.2 of the original expect. */
function bkCmdb(zone: Zone): Dialect {
  const overrides = new Map([
    override(sets.searchSet, {
      read: (sent) => cappedPage(withPage(sent)),
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
    override(queries.searchQuery, {
      read: cappedPage,
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
      read: cappedPage,
      sends: withAnyLimit(audit.getOperationLog.body),
      neverRefuses: ['pageLimit'],
      run: async (run, request) => {
        const { count, info } = await ignoringUnknownSort(run, request)
        const target = ({ op_target, bk_obj_id }: (typeof info)[number]) =>
          op_target === 'object' ? bk_obj_id : op_target
        return { count, info: info.map((row) => ({ ...row, op_target: target(row) })) }
      },
    }),
    override(topology.createLevel, {
      data: model.ObjectRecord,
      run: async (run, request, ask) => {
        await run(request)
        const { actor, body } = request
        const named = { bk_obj_id: body.bk_obj_id, bk_supplier_account: actor.account }
        const [created] = await ask(model.searchObjects, { actor, params: {}, body: named })
        return created ?? null
      },
    }),
    override(subscriptions.searchSubscription, {
      read: (sent) => openPage({ ...sent, fields: sent.fields ?? [], condition: sent.condition ?? {} }),
      body: SubscriptionSearch,
      sends: Type.Partial(SubscriptionSearch),
      data: Found(subscriptions.SubscriptionRecord),
      run: async (run, request) => {
        const { page, fields, condition } = request.body as Static<typeof SubscriptionSearch>
        const all = { ...request, body: { page: { sort: page?.sort ?? '' } } }
        const parsed = parseCondition(condition, { fields: subscriptionFields, zone, text: 'whole' })
        const rows = await sift(await ignoringUnknownSort(run, all), (row) =>
          meets({ builtIn: 0, value: (field) => comparable(field, row) }, parsed, subscriptionFields),
        )
        const start = page?.start ?? 0
        const shown = rows.slice(start, page?.limit === undefined ? undefined : start + page.limit)
        return { count: rows.length, info: shown.map((row) => pick(row, fields)) }
      },
    }),
    ...otherSearches.map((endpoint) => override<Endpoint>(endpoint, { read: openPage, run: ignoringUnknownSort })),
  ])
  return {
    name: 'bk-cmdb',
    success: 'success',
    language: 'zh-cn',
    identifiers: { pattern: /^[a-z][a-z0-9_]*$/, rule: rule('attributeId', { max: 64 }) },
    status: () => 200,
    overrideOf: ({ name }) => overrides.get(name),
  }
}

/** The same body, where some keys may be left out. */
const lacking = ({ properties, required, ...rest }: TObject, keys: readonly string[]): TSchema => ({
  ...rest,
  properties,
  required: required.filter((key) => !keys.includes(key)),
})

const anyLimit = Type.Integer({ description: 'page size; below 1 or above 200 it is 200' })
const limitKey = JSON.stringify(Limit)

/** The same body, where a page may be of any size: what is out of range is read as 200. */
const withAnyLimit = (body: TSchema): TSchema =>
  JSON.parse(JSON.stringify(body), (_, value) => (JSON.stringify(value) === limitKey ? anyLimit : value)) as TSchema

/** In place of a record that there is none of. */
const nothingFound = Type.Object({}, { maxProperties: 0 })

const override = <E extends Endpoint>({ name }: E, how: Override<E>) => [name, how as unknown as Override] as const

/** Searches that still refuse a page of more than 200, but not one of less than 1. */
const otherSearches = [
  businesses.searchBusiness,
  businesses.searchPool,
  modules.searchModule,
  instances.searchInstance,
  hosts.searchHosts,
  favourites.searchFavourite,
]

/** Empty means left out. */
const given = (value: unknown): unknown => (value === '' ? undefined : value)

export const isObject = (value: unknown): value is Sent =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is said of a page, in a key of its own or beside the rest of the body. */
function inPage(sent: Sent, change: (page: Sent) => Sent): Sent {
  const changed = change(sent)
  return isObject(sent.page) ? { ...changed, page: change(sent.page) } : changed
}

const withLimit = (fits: (limit: number) => boolean) => (sent: Sent) =>
  inPage(sent, (page) =>
    Number.isInteger(page.limit) && !fits(page.limit as number) ? { ...page, limit: pageLimit } : page,
  )

/** A limit below 1 means as many as a page may hold. */
const openPage = withLimit((limit) => limit >= 1)
const cappedPage = withLimit((limit) => limit >= 1 && limit <= pageLimit)

/** All that search_set needs, where something is left out. */
const withPage = (sent: Sent): Sent => ({
  ...sent,
  page: isObject(sent.page ?? {}) ? { start: 0, limit: defaultLimit, ...(sent.page as Sent) } : sent.page,
  fields: sent.fields ?? [],
  condition: sent.condition ?? {},
})

/** Asks again without what it cannot be sorted by: what that is depends on the model. */
async function ignoringUnknownSort<E extends Endpoint>(
  run: (request: Request<E>) => Promise<DataOf<E>>,
  request: Request<E>,
): Promise<DataOf<E>> {
  try {
    return await run(request)
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'unknown' || error.field !== 'sort') throw error
    const unknown = error.values
    const known = (sort: string) => sort.split(',').filter((part) => !unknown.includes(part.trim()))
    const body = inPage(request.body as Sent, (page) =>
      typeof page.sort === 'string' ? { ...page, sort: known(page.sort).join(',') } : page,
    )
    return run({ ...request, body } as Request<E>)
  }
}

const SubscriptionSearch = Type.Object({
  ...subscriptions.searchSubscription.body.properties,
  condition: ConditionBody,
  fields: FieldNames,
})

type SubscriptionRow = DataOf<typeof subscriptions.searchSubscription>[number]

/** What subscriptions may be filtered by: whatever they are shown with, except their statistics. */
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
  field === 'last_time' ? Date.parse(row.last_time) : row[field as keyof SubscriptionRow]

const pick = (row: SubscriptionRow, fields: readonly string[]) =>
  fields.length === 0 ? row : Object.fromEntries(Object.entries(row).filter(([name]) => fields.includes(name)))
