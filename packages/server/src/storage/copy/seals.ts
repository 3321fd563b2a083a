import { readOwnJson } from '../../common/own-json.ts'
import type { LogRecord } from '../log/seals.ts'
import { type SealedLog, type Verdict, verifySeals } from '../log/verify.ts'
import type { Proofs } from '../seals/attest.ts'
import type { Seal } from '../seals/statement.ts'
import type { Backup } from './file.ts'

/** Verifies the seals of the log in a backup. Seals and records are read in parallel, so that neither is held in memory. */
export async function verifyBackup(
  backup: Backup,
  progress: (done: number, of: number) => void,
  proofs?: Proofs,
): Promise<Verdict> {
  const records = rows<LogRecord>(backup, 'log')
  let next = await records.next()
  for await (const head of rows<Awaited<ReturnType<SealedLog['head']>>>(backup, 'log_head')) {
    const log: SealedLog = {
      head: async () => head,
      seals: () => rows<Seal>(backup, 'seal'),
      async *records(first, last) {
        // Records without a position come last.
        for (; !next.done && next.value.position !== null && next.value.position <= last; next = await records.next()) {
          if (next.value.position >= first) yield next.value
        }
      },
    }
    return verifySeals(log, progress, proofs)
  }
  throw new Error('a backup without a log')
}

async function* rows<Row>(backup: Backup, table: string): AsyncGenerator<Row, undefined> {
  for await (const { columns, rows: texts } of backup.portions(table)) {
    for (const text of texts) {
      const values = readOwnJson<unknown[]>(text)
      yield Object.fromEntries(columns.map((column, index) => [column, values[index]])) as Row
    }
  }
}
