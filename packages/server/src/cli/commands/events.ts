import { type DataOf, feed } from '@mainline/contract'
import { businessOf } from '../arguments/business.ts'
import type { Given } from '../arguments/flags.ts'
import { localTime } from '../arguments/moment.ts'
import { listOf, misused, wholeNumber, wordsOf } from '../arguments/usage.ts'
import { readWhere } from '../arguments/where.ts'
import { connect, reasonOf } from '../connection/connection.ts'
import { padded, textOf, visible } from '../output/cells.ts'
import { outputTo } from '../output/output.ts'
import { firstOf } from './get.ts'

type Event = DataOf<typeof feed.streamEvents>

/** Runs until Ctrl+C, which is a normal end and no failure. */
export async function eventsCommand(given: Given): Promise<void> {
  const [what] = wordsOf(given, 'events', 1)
  if (what !== 'tail') throw misused("Use 'mainline events tail'.")
  const limit = wholeNumber(given, 'limit', 1)
  const connection = await connect(given)
  const business = await businessOf(connection, given)
  const [resources, cursor] = [listOf(given.value('resource')), given.value('cursor')]
  const where = given.values('where').flatMap(readWhere)
  const filter = where.map(({ field, operator, value }) => ({ [field.is]: { [operator.is]: value.is } }))
  const stop = new AbortController()
  const interrupted = () => stop.abort()
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted)

  const say = (sentence: string) => process.stderr.write(`${sentence}\n`)
  let isLost = false
  const events = connection.client.stream(feed.streamEvents, {
    query: {
      ...(resources?.length && { resource: resources.join(',') }),
      ...(business !== undefined && { bk_biz_id: business }),
      ...(cursor !== undefined && { bk_cursor: cursor }),
      ...(filter.length > 0 && { filter: JSON.stringify({ $and: filter }) }),
    },
    signal: stop.signal,
    onLost(why) {
      if (!isLost) say(`Connection lost (${reasonOf(why)}); reconnecting.`)
      isLost = true
    },
    onBack() {
      say('Reconnected; no events were missed.')
      isLost = false
    },
  })
  const output = outputTo()
  const show = given.value('output') === 'json' ? (event: Event) => JSON.stringify(event) : eventLine
  let last = cursor
  try {
    for await (const event of firstOf(events, limit)) {
      await output.write(`${show(event)}\n`)
      // Each event is shown immediately, not when the buffer is full.
      await output.flush()
      last = event.bk_cursor
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error
    if (last) say(`To resume from here: --cursor ${last}`)
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
  }
}

function eventLine({ bk_resource, bk_event_type, bk_detail }: Event): string {
  const detail = bk_detail ?? {}
  const place = typeof detail.bk_biz_id === 'number' && bk_resource !== 'biz' ? [`business ${detail.bk_biz_id}`] : []
  const parts = [
    localTime(Date.now()),
    padded(bk_event_type, 6),
    padded(visible(bk_resource), 8),
    visible(eventName(detail, bk_resource)),
    ...place,
  ]
  return parts.join('  ')
}

/** The name and id of the instance of an event. */
function eventName(detail: Readonly<Record<string, unknown>>, resource: string): string {
  if (resource === 'host_relation') return `host ${detail.bk_host_id} in module ${detail.bk_module_id}`
  const host = (detail.host ?? detail) as Readonly<Record<string, unknown>>
  const names = [host.bk_host_innerip, detail[`bk_${resource}_name`], detail.bk_inst_name, detail.name]
  const name = textOf(names.find((value) => typeof value === 'string' && value !== ''))
  const id = textOf(host.bk_host_id ?? detail[`bk_${resource}_id`] ?? detail.bk_inst_id ?? detail.id)
  return `${name} (${id})`.trim()
}
