import { businesses } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ask } from './ask.ts'
import { account } from './call.ts'
import { patternOf } from './pattern.ts'

export interface Business {
  readonly bk_biz_id: number
  readonly bk_revision: number
  readonly bk_biz_name: string
  readonly bk_biz_maintainer: string
  readonly bk_biz_developer: string
  readonly life_cycle: string | null
  readonly last_time: string
}

const fields = [
  'bk_biz_id',
  'bk_biz_name',
  'bk_biz_maintainer',
  'bk_biz_developer',
  'life_cycle',
  'last_time',
  'bk_revision',
]

const named = (words: string) => (words.trim() ? { bk_biz_name: { $regex: patternOf(words) } } : {})

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

const mostNames = 200

/** The names of businesses by id; undefined while they are unknown. */
export function useBusinessNames(ids: readonly number[]): (id: number) => string | undefined {
  // Sorted, so that the same businesses have the same query key.
  const asked = [...new Set(ids)]
    .filter((id) => id > 0)
    .toSorted((one, other) => one - other)
    .slice(0, mostNames)
  const found = useQuery({
    ...ask(businesses.searchBusiness, {
      params: { bk_supplier_account: account },
      body: {
        page: { start: 0, limit: mostNames },
        fields: ['bk_biz_id', 'bk_biz_name'],
        condition: { bk_biz_id: { $in: asked } },
      },
    }),
    enabled: asked.length > 0,
    staleTime: 60_000,
    placeholderData: (before) => before,
    // The same answer must keep the same identity while it is the placeholder for the next one: a new map would render endlessly.
    select: ({ info }) => info as unknown as Business[],
  }).data
  const names = useMemo(() => new Map(found?.map((each) => [each.bk_biz_id, each.bk_biz_name])), [found])
  return (id) => names.get(id)
}

export const oneBusiness = (id: number) => ({
  ...ask(businesses.searchBusiness, {
    params: { bk_supplier_account: account },
    body: { page: { start: 0, limit: 1 }, fields, condition: { bk_biz_id: id } },
  }),
  select: (found: { info: unknown[] }) => (found.info as Business[])[0] ?? null,
})
