// The events of hosts that enter and leave the results of saved queries.
import type { Received } from '../servers/receiver.ts'

export interface Entry {
  readonly what: 'entered' | 'left'
  readonly host: number
  readonly webhookId: string
  readonly data: { id: string; name: string; bk_biz_id: number; host: Record<string, unknown> }
}

export function entryOf({ body, headers }: Received): Entry {
  const { action, obj_type, event_type, data } = JSON.parse(body)
  if (obj_type !== 'customquery' || event_type !== 'instdata') throw new Error(`not about a query: ${body}`)
  const [{ cur_data, pre_data }] = data
  if ((action === 'create') !== (pre_data === null) || (action === 'delete') !== (cur_data === null)) {
    throw new Error(`neither entered nor left: ${body}`)
  }
  const about = cur_data ?? pre_data
  const what = action === 'create' ? 'entered' : 'left'
  return { what, host: about.host.bk_host_id, webhookId: headers['webhook-id'] as string, data: about }
}

export const brief = ({ what, host }: Entry) => `${host} ${what}`

/** The received events in short; repetitions are skipped as by a receiver. */
export function entries(requests: readonly Received[]): string[] {
  const first = new Map(requests.map(entryOf).map((each) => [each.webhookId, each]))
  return [...first.values()].map(brief)
}

/** The members after all received events, starting from these. Every event must be consistent with the previous ones. */
export function netOf(told: readonly string[], from: readonly number[] = []): number[] {
  const inside = new Set(from)
  for (const each of told) {
    const [host, what] = each.split(' ')
    const isIn = inside.has(Number(host))
    if (isIn === (what === 'entered')) throw new Error(`received ${each} again, after: ${told}`)
    if (what === 'entered') inside.add(Number(host))
    else inside.delete(Number(host))
  }
  return [...inside].sort((a, b) => a - b)
}
