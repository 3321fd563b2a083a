// The past of a running server: waits until it has been derived from the log.
import { setTimeout as pause } from 'node:timers/promises'
import { forgetPast, readHead, stages } from '../../areas/history/past/index.ts'
import type { Columns, RowKind } from '../../areas/history/recorded/index.ts'
import type { TestServer } from '../harness.ts'
import { readLog } from './log.ts'

/** Tables that are derived from the log in the background. */
export const pastTables = ['past_head', 'past_account', 'past_node', 'past_host', 'past_placement', 'past_row'] as const

/** Waits until all records are part of the past, the older ones too. */
export async function caughtUp({ service }: TestServer): Promise<void> {
  const { read } = service.storage
  await readLog(read)
  for (;;) {
    service.past.hurry()
    const head = await readHead(read)
    const accounts = await read.selectFrom('past_account').selectAll().execute()
    const isDone = accounts.every(({ stage, reading_below: below }) => stage === stages.complete && below === 0)
    if (head.position === head.logPosition && accounts.length > 0 && isDone) return
    await pause(10)
  }
}

/** Derives the past anew. */
export async function rebuild(server: TestServer): Promise<void> {
  await server.service.storage.upkeep(forgetPast)
  await caughtUp(server)
}

/** A stored row without what its versions have in addition. */
export function withoutParents(kind: RowKind, row: Columns): Columns {
  const { parent: _, ...node } = row
  const { biz_id: __, ...host } = row
  if (kind === 'node') return node
  return kind === 'host' ? host : row
}
