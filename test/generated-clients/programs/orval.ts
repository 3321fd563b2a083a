// Compiled beside what orval has generated, with its client over fetch.
import { createBusiness, getHostDetail, type Problem, searchSet } from './api'

declare const console: { log(text: string): void }

function dataOf<Data>({ data }: { readonly data: { readonly result: true; readonly data: Data } | Problem }): Data {
  if (!data.result) throw new Error(JSON.stringify(data))
  return data.data
}

async function main(): Promise<void> {
  const asAdmin = { headers: { BK_User: 'admin', HTTP_BLUEKING_LANGUAGE: 'en' } }
  const page = { page: { start: 0, limit: 1 }, fields: ['bk_set_name'], condition: {} }
  const found = dataOf(await searchSet('0', 1, page, asAdmin))
  const business = { bk_biz_name: 'generated', bk_biz_maintainer: 'admin', time_zone: 'UTC' }
  const made = dataOf(await createBusiness('0', business, asAdmin))
  const { data } = await getHostDetail('0', 999_999, asAdmin)
  console.log(JSON.stringify([found.info[0]?.bk_set_name, made.bk_biz_name, data.bk_error_code]))
}

void main()
