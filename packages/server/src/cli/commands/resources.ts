import { businesses, type DataOf, hosts, modules, privileges, queries, sets, subscriptions } from '@mainline/contract'
import { businessOf, findSet, neededBusiness } from '../arguments/business.ts'
import { fixedFields, type KnownFields, knownFields } from '../arguments/fields.ts'
import type { Given } from '../arguments/flags.ts'
import { hostsInPlace, whereHosts } from '../arguments/hosts.ts'
import { filterLocally } from '../arguments/local.ts'
import { misused } from '../arguments/usage.ts'
import type { Term } from '../arguments/where.ts'
import type { ResourceName } from '../catalogue.ts'
import type { Connection } from '../connection/connection.ts'

type ResourceRow = Readonly<Record<string, unknown>>

/** The parameters of `get`. */
interface GetParameters {
  readonly given: Given
  readonly where: readonly Term[]
  readonly sort: readonly string[]
  /** The fields to show; empty means all. */
  readonly fields: readonly string[]
  /** Rows per page; undefined: the client's default. */
  readonly pageSize: number | undefined
}

interface Resource {
  /** The default columns of a table. */
  readonly columns: readonly string[]
  /** Additional columns if no business is given. */
  readonly across?: readonly string[]
  known(connection: Connection, names: readonly string[]): Promise<KnownFields>
  rows(connection: Connection, wanted: GetParameters): Promise<AsyncIterable<ResourceRow>>
}

export const resources: Record<ResourceName, Resource> = {
  hosts: {
    columns: [
      'bk_host_id',
      'bk_host_innerip',
      'bk_host_name',
      'bk_os_type',
      'set.bk_set_name',
      'module.bk_module_name',
    ],
    across: ['biz.bk_biz_name'],
    known: (connection, names) => hostsInPlace.known(connection, names),
    async rows(connection, { given, where, sort, fields, pageSize }) {
      const business = await businessOf(connection, given)
      const body = {
        condition: whereHosts(where, fields),
        ...(business !== undefined && { bk_biz_id: business }),
        ...sorted(sort),
      }
      return hostsInPlace.flat(connection.client.all(hosts.searchHosts, { body, ...paged(pageSize) }))
    },
  },

  businesses: {
    columns: ['bk_biz_id', 'bk_biz_name', 'bk_biz_maintainer', 'life_cycle'],
    known: (connection) => knownFields(connection, 'biz', businesses.BusinessRecord),
    async rows({ client, account }, { where, sort, fields, pageSize }) {
      const body = { condition: conditionOf(where), fields: [...fields], ...sorted(sort) }
      return client.all(businesses.searchBusiness, {
        params: { bk_supplier_account: account },
        body,
        ...paged(pageSize),
      })
    },
  },

  sets: {
    columns: ['bk_set_id', 'bk_set_name', 'bk_set_env', 'bk_service_status', 'bk_capacity'],
    known: (connection) => knownFields(connection, 'set', sets.SetRecord),
    async rows(connection, { given, where, sort, fields, pageSize }) {
      const params = {
        bk_supplier_account: connection.account,
        bk_biz_id: await neededBusiness(connection, given, 'get sets'),
      }
      const body = { condition: conditionOf(where), fields: [...fields], ...sorted(sort) }
      return connection.client.all(sets.searchSet, { params, body, ...paged(pageSize) })
    },
  },

  modules: {
    columns: ['bk_module_id', 'bk_module_name', 'bk_set_id', 'bk_module_type', 'operator'],
    known: (connection) => knownFields(connection, 'module', modules.ModuleRecord),
    async rows(connection, { given, where, sort, fields, pageSize }) {
      const business = await neededBusiness(connection, given, 'get modules')
      const set = given.value('set')
      if (sort.length > 0 && set === undefined) {
        throw misused('--sort: modules are read set by set. Select one with --set, or omit --sort.')
      }
      const body = { condition: conditionOf(where), fields: [...fields], ...sorted(sort) }
      const from = set === undefined ? setsOf(connection, business) : [await findSet(connection, business, set)]
      return modulesOf(connection, business, from, body, pageSize)
    },
  },

  queries: {
    columns: ['id', 'name', 'create_user', 'create_time'],
    known: async () => fixedFields(queries.QueryRecord),
    async rows(connection, { given, where, sort, pageSize }) {
      const params = { bk_biz_id: await neededBusiness(connection, given, 'get queries') }
      const body = { condition: conditionOf(where), ...(sort.length > 0 && { sort: sort.join(',') }) }
      return connection.client.all(queries.searchQuery, { params, body, ...paged(pageSize) })
    },
  },

  subscriptions: {
    columns: ['subscription_id', 'subscription_name', 'callback_url', 'subscription_form', 'state', 'lag'],
    known: async () => fixedFields(subscriptions.SubscriptionRecord),
    async rows(connection, { given, where, sort }) {
      const params = {
        bk_supplier_account: connection.account,
        bk_biz_id: (await businessOf(connection, given)) ?? 0,
      }
      const all = await connection.client.call(subscriptions.searchSubscription, { params, body: {} })
      return oneByOne(filterLocally(rowsIn(all), where, sort))
    },
  },

  groups: {
    columns: ['group_id', 'group_name', 'user_list'],
    known: async () => fixedFields(privileges.UserGroup),
    async rows({ client, account }, { where, sort }) {
      const all = await client.call(privileges.searchUserGroup, { params: { bk_supplier_account: account }, body: {} })
      return oneByOne(filterLocally(all, where, sort))
    },
  },
}

type Subscriptions = DataOf<typeof subscriptions.searchSubscription>
/** With `--compat bk-cmdb` the server also returns a count. */
const rowsIn = (told: Subscriptions | { readonly info: Subscriptions }): Subscriptions =>
  'info' in told ? told.info : told

const paged = (limit: number | undefined) => (limit === undefined ? {} : { limit })
const sorted = (sort: readonly string[]) => (sort.length > 0 ? { page: { sort: sort.join(',') } } : {})

/** One condition per term, so that a field may occur in several. */
function conditionOf(where: readonly Term[]): Record<string, unknown> {
  if (where.length === 0) return {}
  return { $and: where.map(({ field, operator, value }) => ({ [field.is]: { [operator.is]: value.is } })) }
}

async function* oneByOne<T>(rows: readonly T[]): AsyncGenerator<T> {
  yield* rows
}

async function* setsOf({ client, account }: Connection, business: number): AsyncGenerator<number> {
  const params = { bk_supplier_account: account, bk_biz_id: business }
  for await (const { bk_set_id = 0 } of client.all(sets.searchSet, {
    params,
    body: { condition: {}, fields: ['bk_set_id'] },
  })) {
    yield bk_set_id
  }
}

async function* modulesOf(
  { client, account }: Connection,
  business: number,
  from: AsyncIterable<number> | readonly number[],
  body: { condition: Record<string, unknown>; fields: string[]; page?: { sort: string } },
  pageSize: number | undefined,
): AsyncGenerator<ResourceRow> {
  for await (const set of from) {
    const params = { bk_supplier_account: account, bk_biz_id: business, bk_set_id: set }
    yield* client.all(modules.searchModule, { params, body, ...paged(pageSize) })
  }
}
