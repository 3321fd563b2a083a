import { businesses, sets } from '@mainline/contract'
import { nearest } from '../../common/nearest.ts'
import { Refusal } from '../../common/refusal.ts'
import type { Connection } from '../connection/connection.ts'
import type { Given } from './flags.ts'
import { exitCodes, misused } from './usage.ts'

export async function businessOf(connection: Connection, given: Given): Promise<number | undefined> {
  const called = given.value('business')
  return called === undefined ? undefined : businessCalled(connection, called)
}

export async function neededBusiness(connection: Connection, given: Given, what: string): Promise<number> {
  const id = await businessOf(connection, given)
  if (id === undefined) throw misused(`The business is missing: ${what} needs --business NAME or --business ID.`)
  return id
}

/** Finds a business or the resource pool by id, or else by its full name. */
export async function businessCalled({ client, account }: Connection, called: string): Promise<number> {
  const params = { bk_supplier_account: account }
  const fields = ['bk_biz_id', 'bk_biz_name']
  const search = async (condition: Record<string, unknown>) =>
    (await client.call(businesses.searchBusiness, { params, body: { condition, fields, page: { limit: 2 } } })).info[0]
  const isId = /^\d{1,15}$/.test(called)
  const found =
    (isId && (await search({ bk_biz_id: Number(called) }))) || (await search({ bk_biz_name: { $eq: called } }))
  if (found?.bk_biz_id) return found.bk_biz_id
  const [pool] = (await client.call(businesses.searchPool, { params, body: { fields } })).info
  if (pool?.bk_biz_id && (called === String(pool.bk_biz_id) || called === pool.bk_biz_name)) return pool.bk_biz_id
  const { info } = await client.call(businesses.searchBusiness, { params, body: { fields, page: { limit: 200 } } })
  throw new Refusal(
    `There is no business '${called}'.${guess(
      called,
      info.map(({ bk_biz_name = '' }) => bk_biz_name),
    )}`,
    exitCodes.refused,
  )
}

/** Finds a set by id, or by a name that is unique in the business. */
export async function findSet({ client, account }: Connection, business: number, called: string): Promise<number> {
  const params = { bk_supplier_account: account, bk_biz_id: business }
  const fields = ['bk_set_id', 'bk_set_name']
  const page = { start: 0, limit: 200 }
  const search = async (condition: Record<string, unknown>) =>
    (await client.call(sets.searchSet, { params, body: { condition, fields, page } })).info
  const byId = /^\d{1,15}$/.test(called) ? await search({ bk_set_id: Number(called) }) : []
  const found = byId.length > 0 ? byId : await search({ bk_set_name: { $eq: called } })
  if (found.length > 1) {
    const ids = found.map(({ bk_set_id }) => bk_set_id).join(', ')
    throw misused(`--set: several sets are named '${called}'. Specify one by its id: ${ids}.`)
  }
  if (found[0]?.bk_set_id) return found[0].bk_set_id
  const names = (await search({})).map(({ bk_set_name = '' }) => bk_set_name)
  throw new Refusal(`There is no set '${called}' in business ${business}.${guess(called, names)}`, exitCodes.refused)
}

const guess = (called: string, names: readonly string[]) => {
  const close = nearest(called, [...new Set(names)], 3).map((name) => `'${name}'`)
  return close.length > 0 ? ` Did you mean ${close.join(', ')}?` : ''
}
