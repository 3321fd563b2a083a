import { businesses } from '@mainline/contract'
import { ask } from './ask.ts'
import { account } from './call.ts'

export interface Business {
  readonly bk_biz_id: number
  readonly bk_biz_name: string
  readonly bk_biz_maintainer: string
  readonly bk_biz_developer: string
  readonly life_cycle: string | null
  readonly last_time: string
}

const fields = ['bk_biz_id', 'bk_biz_name', 'bk_biz_maintainer', 'bk_biz_developer', 'life_cycle', 'last_time']

const literally = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

const named = (words: string) => (words.trim() ? { bk_biz_name: { $regex: `(?i)${literally(words.trim())}` } } : {})

/** Businesses whose name holds the words, whatever their case; the first 200 by name. */
export const findBusinesses = (words: string) => ({
  ...ask(businesses.searchBusiness, {
    params: { bk_supplier_account: account },
    body: {
      page: { start: 0, limit: 200, sort: 'bk_biz_name' },
      fields,
      condition: named(words),
    },
  }),
  select: (found: { count: number; info: unknown[] }) => ({ count: found.count, businesses: found.info as Business[] }),
})

/** Archived businesses whose name holds the words, by name. */
export const findArchived = (words: string, start: number, limit: number) => ({
  ...ask(businesses.searchBusiness, {
    params: { bk_supplier_account: account },
    body: {
      page: { start, limit, sort: 'bk_biz_name' },
      fields,
      condition: { bk_data_status: 'disabled', ...named(words) },
    },
  }),
  select: (found: { count: number; info: unknown[] }) => ({ count: found.count, businesses: found.info as Business[] }),
})

export const oneBusiness = (id: number) => ({
  ...ask(businesses.searchBusiness, {
    params: { bk_supplier_account: account },
    body: { page: { start: 0, limit: 1 }, fields, condition: { bk_biz_id: id } },
  }),
  select: (found: { info: unknown[] }) => (found.info as Business[])[0] ?? null,
})
