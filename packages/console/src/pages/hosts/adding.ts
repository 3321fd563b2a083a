import { Failure } from '@mainline/client/core'
import { hosts as operations } from '@mainline/contract'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call, caller } from '../../api/call.ts'
import { type Place, pathTo } from '../topology/tree.ts'
import { address } from './questions.ts'
import type { NewHost } from './rows.ts'

/** A module, the idle module of a business, or the pool. */
export type Destination = Place | number | null

interface Report {
  /** Rows that were added or updated. */
  readonly done: readonly number[]
  /** The errors of the others. */
  readonly refused: ReadonlyMap<number, string>
}

/** Adds new hosts, updates existing ones, and reports the result of every row. */
export async function addHosts(rows: readonly NewHost[], to: Destination): Promise<Report> {
  const { success, error, update_error } = await send(rows, to)
  const reasons = [...error, ...update_error].map((text): [number, string] => {
    const [, row, why] = /^(\d+): ?(.*)$/s.exec(text) ?? []
    return [Number(row), why ?? text]
  })
  return { done: success.map(Number), refused: new Map(reasons) }
}

type Answer = Readonly<Record<'success' | 'error' | 'update_error', readonly string[]>>

/** With any failed row the response is an error whose data has the result of each row. */
async function send(rows: readonly NewHost[], to: Destination): Promise<Answer> {
  const host_info = Object.fromEntries(rows.map((row) => [String(row.row), row.values]))
  try {
    if (to !== null && typeof to === 'object') {
      const body = { bk_biz_id: pathTo(to)[0]?.id ?? 0, bk_module_id: [to.id], host_info }
      return await call(operations.addHostsToModules, { body })
    }
    return await call(operations.addHosts, { body: { ...(to !== null && { bk_biz_id: to }), host_info } })
  } catch (error) {
    if (error instanceof Failure && error.data) return error.data as Answer
    throw error
  }
}

/** IPv6 has many spellings of one address; the server keeps the one that browsers use. */
function canonical(ip: string): string {
  return ip.includes(':') ? (URL.parse(`http://[${ip}]`)?.hostname.slice(1, -1) ?? ip) : ip
}

const addressesOf = (text: string) => text.split(',').map((each) => canonical(each.trim()))

/** The key of a host: any of its addresses, with its cloud area. */
const identitiesOf = (values: Readonly<Record<string, unknown>>): string[] =>
  addressesOf(String(values[address] ?? '')).map((ip) => `${values.bk_cloud_id ?? 0} ${ip}`)

const hostsAt = (addresses: readonly string[]) =>
  queryOptions({
    queryKey: ['Hosts', 'hosts at', addresses],
    queryFn: async ({ signal }) => {
      const identities: string[] = []
      const body = {
        ip: { data: [...addresses], exact: 1 as const, flag: address },
        condition: [{ bk_obj_id: 'host', fields: [address, 'bk_cloud_id'], condition: [] }],
      }
      for await (const row of caller().all(operations.searchHosts, { body, signal })) {
        identities.push(...identitiesOf(row.host))
      }
      return identities
    },
    enabled: addresses.length > 0,
  })

/** Whether a new host exists already; undefined while it is unknown. */
export function useIsThere(rows: readonly NewHost[]): (row: NewHost) => boolean | undefined {
  const addresses = [...new Set(rows.flatMap((row) => addressesOf(row.address)))].filter(Boolean)
  const { data } = useQuery(hostsAt(addresses))
  const there = data && new Set(data)
  return (row) => there && identitiesOf(row.values).some((each) => there.has(each))
}
