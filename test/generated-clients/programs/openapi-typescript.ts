// Compiled beside what openapi-typescript has generated, with openapi-fetch.
import createClient from 'openapi-fetch'
import type { components, paths } from './api'

declare const process: { readonly env: Record<string, string | undefined> }
declare const console: { log(text: string): void }

type Problem = components['schemas']['Problem']
interface Answer<Data> {
  readonly data?: { readonly result: true; readonly data: Data } | Problem
  readonly error?: unknown
}

function dataOf<Data>({ data, error }: Answer<Data>): Data {
  if (!data?.result) throw new Error(JSON.stringify(data ?? error))
  return data.data
}

async function main(): Promise<void> {
  const client = createClient<paths>({
    baseUrl: process.env.MAINLINE_URL ?? '',
    headers: { BK_User: 'admin', HTTP_BLUEKING_LANGUAGE: 'en' },
  })
  const found = dataOf(
    await client.POST('/api/v3/set/search/{bk_supplier_account}/{bk_biz_id}', {
      params: { path: { bk_supplier_account: '0', bk_biz_id: 1 } },
      body: { page: { start: 0, limit: 1 }, fields: ['bk_set_name'], condition: {} },
    }),
  )
  const made = dataOf(
    await client.POST('/api/v3/biz/{bk_supplier_account}', {
      params: { path: { bk_supplier_account: '0' } },
      body: { bk_biz_name: 'generated', bk_biz_maintainer: 'admin', time_zone: 'UTC' },
    }),
  )
  const { data, error } = await client.GET('/api/v3/hosts/{bk_supplier_account}/{bk_host_id}', {
    params: { path: { bk_supplier_account: '0', bk_host_id: 999_999 } },
  })
  const refused: { readonly bk_error_code: number } | undefined = error ?? data
  console.log(JSON.stringify([found.info[0]?.bk_set_name, made.bk_biz_name, refused?.bk_error_code]))
}

void main()
