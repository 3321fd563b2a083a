import { misused } from '../platform/refusal.ts'
import { backUp, rowsOf } from '../platform/storage/copy/index.ts'
import { recordBackup } from '../platform/storage/index.ts'
import { progressOfPhases } from './progress.ts'
import { readServerArguments } from './server-arguments.ts'
import { intactOrRefuse } from './verdict.ts'

/** Beside a running server, on both engines: it sees the store as it is at this moment, and holds nobody up. */
export async function backupCommand(args: string[]): Promise<void> {
  const { words, config } = readServerArguments('backup', args, 1)
  const [file] = words
  if (!file) throw misused("Where to? 'mainline backup FILE' writes one file.")
  const { contents, verdict, bytes } = await backUp(config, file, progressOfPhases())
  const size = `${(bytes / 1_000_000).toLocaleString('en', { maximumFractionDigits: 1 })} MB`
  process.stdout.write(`${file}: ${rowsOf(contents).toLocaleString('en')} rows in ${size}, written and read again.\n`)
  intactOrRefuse('The backup is whole, but the log in it', verdict)
  await recordBackup(config).catch(({ message }: Error) => {
    process.stderr.write(`The backup is good, but its time could not be recorded for /metrics: ${message}.\n`)
  })
}
