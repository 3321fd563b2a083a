import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Reader } from '../../storage/index.ts'

export interface Logged {
  position: number
  ticket: number
  txn_id: string
  ordinal: number
  object_id: string
  inst_id: number
  request_id: string
  content: { pre: Record<string, unknown> | null; cur: Record<string, unknown> | null }
}

/** The whole log in order of position, after everything committed was numbered. */
export async function readLog(reader: Reader): Promise<Logged[]> {
  for (let tries = 0; tries < 400; tries++) {
    const { open } = await reader
      .selectFrom('log')
      .select(sql<number>`count(*)`.as('open'))
      .where('position', 'is', null)
      .executeTakeFirstOrThrow()
    if (open === 0) break
    await pause(25)
  }
  const rows = await reader.selectFrom('log').selectAll().orderBy('position').execute()
  return rows.map((row) => ({ ...row, position: row.position ?? -1, content: JSON.parse(row.content) }))
}

/** Positions 1, 2, 3, ... without gaps or duplicates. */
export const isGapless = (log: readonly Logged[]) => log.every((record, index) => record.position === index + 1)

/**
 * Whether each record of an instance starts from the result of the previous one. A change reads the instance before it writes, so a record numbered
 * before one that its change has seen would break the chain.
 */
export function brokenLinks(log: readonly Logged[]): string[] {
  const last = new Map<string, string>()
  const broken: string[] = []
  for (const { position, object_id, inst_id, content } of log) {
    const key = `${object_id} ${inst_id}`
    const before = JSON.stringify(content.pre)
    if (before !== (last.get(key) ?? 'null')) broken.push(`record ${position} of ${key} starts from ${before}`)
    last.set(key, JSON.stringify(content.cur))
  }
  return broken
}
