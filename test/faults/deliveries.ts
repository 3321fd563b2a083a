// The state of deliveries and the result of the last pushes: printed with violations, to show their cause.
import { openForReading, type StorageConfig } from '../../packages/server/src/storage/index.ts'

const shownAttempts = 5

export async function describeDeliveries(config: StorageConfig, ids: readonly number[]): Promise<string[]> {
  const { reader, close } = await openForReading(config)
  try {
    const head = await reader.selectFrom('log_head').select('position').executeTakeFirstOrThrow()
    const lines: string[] = []
    for (const id of ids) {
      const row = await reader
        .selectFrom('delivery')
        .select(['position', 'unreachable', 'owner', 'total', 'failure'])
        .where('subscription', '=', id)
        .executeTakeFirst()
      const waiting = await reader.selectFrom('undelivered').select('due').where('subscription', '=', id).execute()
      const attempts = await reader
        .selectFrom('attempt')
        .select(['time', 'position', 'event', 'result', 'status', 'duration', 'error'])
        .where('subscription', '=', id)
        .orderBy('number', 'desc')
        .limit(shownAttempts)
        .execute()
      lines.push(
        `subscription ${id} at ${row?.position} of ${head.position}, ${waiting.length} waiting; ${JSON.stringify(row)}`,
        ...attempts.map(({ time, ...attempt }) => `  ${new Date(time).toISOString()} ${JSON.stringify(attempt)}`),
      )
    }
    return lines
  } finally {
    await close()
  }
}
