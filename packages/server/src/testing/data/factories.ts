import type { TestServer } from '../harness.ts'

/** Shortcuts that create a business with a set through the API. */
export async function makeBusiness(
  server: Pick<TestServer, 'call'>,
  name = `business ${Math.random().toString(36).slice(2)}`,
): Promise<number> {
  const made = await server.call<{ bk_biz_id: number }>('POST', '/biz/0', {
    bk_biz_name: name,
    bk_biz_maintainer: 'amy',
  })
  if (!made.result) throw new Error(made.bk_error_msg ?? '')
  return made.data.bk_biz_id
}

export const setBody = (business: number, more: Record<string, unknown> = {}) => ({
  bk_biz_id: business,
  bk_parent_id: business,
  bk_supplier_account: '0',
  bk_set_name: `set ${Math.random().toString(36).slice(2)}`,
  ...more,
})

export async function makeSet(
  server: Pick<TestServer, 'call'>,
  business: number,
  more: Record<string, unknown> = {},
): Promise<number> {
  const made = await server.call<{ bk_set_id: number }>('POST', `/set/${business}`, setBody(business, more))
  if (!made.result) throw new Error(made.bk_error_msg ?? '')
  return made.data.bk_set_id
}

/** All results of a search, up to one page. */
export async function findSets(
  server: Pick<TestServer, 'call'>,
  business: number,
  condition: unknown = {},
  more: Record<string, unknown> = {},
) {
  return server.call<{ count: number; info: Record<string, unknown>[] }>('POST', `/set/search/0/${business}`, {
    page: { start: 0, limit: 200 },
    fields: [],
    condition,
    ...more,
  })
}

export async function findRecords(server: Pick<TestServer, 'call'>, condition: Record<string, unknown>) {
  return server.call<{ count: number; info: AuditRow[] }>('POST', '/audit/search', {
    condition,
    limit: 200,
    sort: 'op_time',
  })
}

export interface AuditRow {
  op_type: number
  op_target: string
  op_desc: string
  operator: string
  inst_id: number
  bk_biz_id: number
  request_id: string
  op_reason: string
  revision: number
  position: number | null
  op_time: string
  content: {
    pre_data: Record<string, unknown> | null
    cur_data: Record<string, unknown> | null
    header: { bk_property_id: string; bk_property_name: string }[]
  }
}
