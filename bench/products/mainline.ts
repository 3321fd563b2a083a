import type { Envelope } from '@mainline/contract'
import { request } from '../load.ts'
import { type Adapter, addressOf, type Estate } from './product.ts'

/** Mainline itself, accessed like any other product: by its address and its API. */
export const adapt: Adapter = async (address, estate, token) => {
  const port = Number(address.port)
  const ask = askerOf(address, token)
  const post = (path: string, body: unknown) => request('POST', path, { body, token })
  const get = (path: string) => request('GET', path, { token })
  const business = (await ask<{ bk_biz_id: number }>('/biz/0', { bk_biz_name: `beside ${Date.now()}` })).bk_biz_id
  const { sets, hosts } = await fill(ask, business, estate)
  const detail = hosts[Math.floor(hosts.length / 2)]
  let created = 0
  const ok = '"result":true'
  return {
    name: 'mainline',
    port,
    works: {
      list: {
        next: () => post('/api/v3/hosts/search', listOf(business, sets[created++ % sets.length] as number)),
        mark: ok,
      },
      search: {
        next: () =>
          post('/api/v3/hosts/search', {
            page: { start: 0, limit: 20 },
            condition: [byHost({ bk_cpu: 8, bk_os_type: '1' })],
          }),
        mark: ok,
      },
      detail: { next: () => get(`/api/v3/hosts/0/${detail}`), mark: ok },
      create: {
        next: () => post(`/api/v3/set/${business}`, setOf(business, `created ${created++}`)),
        mark: ok,
      },
      update: {
        next: () =>
          request('PUT', '/api/v3/hosts/batch', {
            body: { bk_host_id: `${detail}`, bk_cpu: 8 + (created++ % 100) },
            token,
          }),
        mark: ok,
      },
      audit: {
        next: () => post('/api/v3/audit/search', { condition: {}, start: 0, limit: 20, sort: '-op_time' }),
        mark: ok,
      },
      tree: { next: () => get(`/api/v3/topo/inst/0/${business}`), mark: ok },
      bulk: {
        next: () =>
          post('/api/v3/hosts/add', { bk_biz_id: business, host_info: hostsFrom(1_000_000 + 100 * created++, 100) }),
        mark: ok,
      },
    },
  }
}

type Ask = <Data>(path: string, body: unknown) => Promise<Data>

const askerOf =
  (address: URL, token: string | undefined): Ask =>
  async (path, body) => {
    const answer = await fetch(new URL(`/api/v3${path}`, address), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    })
    const { result, data, bk_error_msg } = (await answer.json()) as Envelope<never>
    if (!result) throw new Error(`${path}: ${bk_error_msg}`)
    return data
  }

const setOf = (business: number, name: string) => ({
  bk_biz_id: business,
  bk_parent_id: business,
  bk_supplier_account: '0',
  bk_set_name: name,
})

/** By row number, as the operation requires. */
const hostsFrom = (first: number, count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, row) => [
      row,
      { bk_host_innerip: addressOf(first + row), bk_os_type: row % 3 === 0 ? '2' : '1', bk_cpu: 8 },
    ]),
  )

async function fill(ask: Ask, business: number, { sets, modulesPerSet, hostsPerModule }: Estate) {
  const made: { sets: number[]; hosts: number[] } = { sets: [], hosts: [] }
  for (let set = 0; set < sets; set++) {
    const { bk_set_id } = await ask<{ bk_set_id: number }>(`/set/${business}`, setOf(business, `set ${set}`))
    made.sets.push(bk_set_id)
    for (let module = 0; module < modulesPerSet; module++) {
      const { bk_module_id } = await ask<{ bk_module_id: number }>(`/module/${business}/${bk_set_id}`, {
        bk_parent_id: bk_set_id,
        bk_module_name: `module ${module}`,
      })
      const first = (set * modulesPerSet + module) * hostsPerModule
      const host_info = hostsFrom(first, hostsPerModule)
      await ask('/hosts/sync/new/host', { bk_biz_id: business, bk_module_id: [bk_module_id], host_info })
    }
  }
  const found = await ask<{ info: { host: { bk_host_id: number } }[] }>(
    '/hosts/search',
    listOf(business, made.sets[0] as number),
  )
  made.hosts = found.info.map(({ host }) => host.bk_host_id)
  return made
}

const listOf = (business: number, set: number) => ({
  bk_biz_id: business,
  page: { start: 0, limit: 20 },
  condition: [
    { bk_obj_id: 'set', fields: [], condition: [{ field: 'bk_set_id', operator: '$eq', value: set }] },
    byHost({ bk_os_type: '1' }),
  ],
})

const byHost = (values: Record<string, unknown>) => ({
  bk_obj_id: 'host',
  fields: [],
  condition: Object.entries(values).map(([field, value]) => ({ field, operator: '$eq', value })),
})
