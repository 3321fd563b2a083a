import { setTimeout as pause } from 'node:timers/promises'
import { after, writeCursor } from '../../areas/events/feed/watching/cursor.ts'
import { emptyHistory, type HistoryMark, recordId } from '../../storage/index.ts'
import type { Answer, TestServer } from '../harness.ts'
import { type Logged, readLog } from '../inspect/log.ts'

export interface WatchedEvent {
  bk_cursor: string
  bk_resource: string
  bk_event_type: string
  bk_detail: Record<string, unknown> | null
}

type Watched = { bk_watched: boolean; bk_events: WatchedEvent[] }

export const watch = (
  server: TestServer,
  resource: string,
  body: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer<Watched>> => server.call<Watched>('POST', `/event/watch/resource/${resource}`, body, headers)

/** The events after a cursor, in one answer; at least one. */
export async function eventsSince(
  server: TestServer,
  resource: string,
  bk_cursor: string,
  more: Record<string, unknown> = {},
): Promise<WatchedEvent[]> {
  await readLog(server.service.storage.read)
  const { data, bk_error_msg } = await watch(server, resource, { bk_cursor, ...more })
  if (!data?.bk_watched) throw new Error(bk_error_msg || 'nothing has happened')
  return data.bk_events
}

/** The cursor after everything so far. */
export async function cursorNow(server: TestServer): Promise<string> {
  return writeCursor(after(markOf((await readLog(server.service.storage.read)).at(-1))))
}

export const markOf = (record: Logged | undefined): HistoryMark =>
  record ? { position: record.position, id: recordId(record) } : emptyHistory

/** So many records of new sets, in one change. */
export const recordSets = ({ service }: TestServer, count: number): Promise<void> =>
  service.storage.change({ user: 'test', account: '0', requestId: '' }, async (tx) => {
    for (let instance = 1; instance <= count; instance++) {
      const what = { operation: 'add', object: 'set', instance, business: 1, description: 'create set' } as const
      tx.record({ ...what, revision: 1, before: null, after: { bk_set_id: instance } })
    }
  })

/** Waits until so many clients wait for the log to grow. */
export async function waitingFor({ service }: TestServer, count: number): Promise<void> {
  const deadline = Date.now() + 30_000
  while (service.tail.waiting() !== count) {
    if (Date.now() > deadline) throw new Error(`${service.tail.waiting()} are waiting, not ${count}`)
    await pause(5)
  }
}
