import type { LogRecord, Seal } from '../log/seals.ts'
import { type SealedLog, type Verdict, verifySeals } from '../log/verify.ts'
import type { Backup } from './file.ts'

/** Recomputes the seals of the log inside a backup. Seals and records are read side by side, so that neither is kept. */
export async function verifyBackup(backup: Backup, progress: (done: number, of: number) => void): Promise<Verdict> {
  const records = rows<LogRecord>(backup, 'log')
  let next = await records.next()
  for await (const head of rows<Awaited<ReturnType<SealedLog['head']>>>(backup, 'log_head')) {
    const log: SealedLog = {
      head: async () => head,
      seals: () => rows<Seal>(backup, 'seal'),
      async records(first, last) {
        const found: LogRecord[] = []
        // Those that had no position yet come last.
        for (; !next.done && next.value.position !== null && next.value.position <= last; next = await records.next()) {
          if (next.value.position >= first) found.push(next.value)
        }
        return found
      },
    }
    return verifySeals(log, progress)
  }
  throw new Error('a backup without a log')
}

async function* rows<Row>(backup: Backup, table: string): AsyncGenerator<Row, undefined> {
  for await (const { columns, rows: texts } of backup.portions(table)) {
    for (const text of texts) {
      const values = JSON.parse(text) as unknown[]
      yield Object.fromEntries(columns.map((column, index) => [column, values[index]])) as Row
    }
  }
}
