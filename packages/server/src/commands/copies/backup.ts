import { misused } from '../../common/refusal.ts'
import { backUp, tableRows } from '../../storage/copy/index.ts'
import { recordBackup } from '../../storage/index.ts'
import { progressOfPhases } from '../progress.ts'
import { readServerArguments } from '../serve/server-arguments.ts'
import { intactOrRefuse } from '../verify/verdict.ts'

/** Runs beside a server on both engines: reads one snapshot of the storage and blocks no writers. */
export async function backupCommand(args: string[]): Promise<void> {
  const { words, config } = readServerArguments('backup', args, 1)
  const [file] = words
  if (!file) throw misused("The file is missing: 'mainline backup FILE'.")
  const { contents, verdict, bytes } = await backUp(config, file, progressOfPhases())
  const size = `${(bytes / 1_000_000).toLocaleString('en', { maximumFractionDigits: 1 })} MB`
  process.stdout.write(`${file}: ${tableRows(contents).toLocaleString('en')} rows in ${size}, written and verified.\n`)
  intactOrRefuse('The backup is complete, but its log', verdict)
  await recordBackup(config).catch(({ message }: Error) => {
    process.stderr.write(`The backup succeeded, but its time could not be recorded for /metrics: ${message}.\n`)
  })
}
