import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../platform/config.ts'
import { Refusal } from '../platform/refusal.ts'
import { describeFault, openForReading, verifyLog } from '../platform/storage/index.ts'
import { progressBar } from './progress.ts'

/** Reads only, so it may run beside a server. */
export async function verifyCommand(args: string[]): Promise<void> {
  const config = readConfig(args, process.env)
  if (!config.databaseUrl && !existsSync(join(config.dataDir, 'mainline.db'))) {
    throw new Refusal(`There is no Mainline database in ${config.dataDir}.`)
  }
  const { reader, close } = await openForReading(config)
  try {
    const verdict = await verifyLog(reader, progressBar('Checking the log'))
    const { segments, records, unsealed, removed, faults } = verdict
    if (faults.length > 0)
      throw new Refusal(`The log is NOT intact:\n${faults.map((fault) => `  ${describeFault(fault)}`).join('\n')}`)
    const gone = removed > 0 ? `, ${removed} removed by retention` : ''
    process.stdout.write(
      `The log is intact: ${records} records in ${segments} sealed segments, ${unsealed} not yet sealed${gone}.\n`,
    )
  } finally {
    await close()
  }
}
