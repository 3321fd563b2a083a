// Compiled beside what @hey-api/openapi-ts has generated.
import { createBusiness, getHostDetail, searchSet } from './api'
import { client } from './api/client.gen'
import type { Problem } from './api/types.gen'

declare const process: { readonly env: Record<string, string | undefined> }
declare const console: { log(text: string): void }

interface Answer<Data> {
  readonly data?: { readonly result: true; readonly data: Data } | Problem | undefined
  readonly error?: unknown
}

function dataOf<Data>({ data, error }: Answer<Data>): Data {
  if (!data?.result) throw new Error(JSON.stringify(data ?? error))
  return data.data
}

/** Where refusals are sent with status 200, the type of `error` says nothing. */
function codeOf({ data, error }: Answer<unknown>): unknown {
  const answer = data ?? error
  return typeof answer === 'object' && answer !== null && 'bk_error_code' in answer ? answer.bk_error_code : undefined
}

async function main(): Promise<void> {
  client.setConfig({
    baseUrl: process.env.MAINLINE_URL ?? '',
    headers: { BK_User: 'admin', HTTP_BLUEKING_LANGUAGE: 'en' },
  })
  const found = dataOf(
    await searchSet({
      path: { bk_supplier_account: '0', bk_biz_id: 1 },
      body: { page: { start: 0, limit: 1 }, fields: ['bk_set_name'], condition: {} },
    }),
  )
  const made = dataOf(
    await createBusiness({
      path: { bk_supplier_account: '0' },
      body: { bk_biz_name: 'generated', bk_biz_maintainer: 'admin', time_zone: 'UTC' },
    }),
  )
  const refused = codeOf(await getHostDetail({ path: { bk_supplier_account: '0', bk_host_id: 999_999 } }))
  console.log(JSON.stringify([found.info[0]?.bk_set_name, made.bk_biz_name, refused]))
}

void main()
