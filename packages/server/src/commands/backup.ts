import { readConfig, readOwnFlags } from '../platform/config.ts'
import { Refusal } from '../platform/refusal.ts'
import { backUp, rowsOf } from '../platform/storage/copy/index.ts'
import { progressOfPhases } from './progress.ts'
import { intactOrRefuse } from './verdict.ts'

/** Beside a running server, on both engines: it sees the store as it is at this moment, and holds nobody up. */
export async function backupCommand(args: string[]): Promise<void> {
  const { words, rest } = readOwnFlags(args, {})
  const [file, ...more] = words
  if (!file || more.length > 0) throw new Refusal("Where to? 'mainline backup FILE' writes one file.")
  const config = readConfig(rest, process.env)
  const { contents, verdict, bytes } = await backUp(config, file, progressOfPhases())
  const size = `${(bytes / 1_000_000).toLocaleString('en', { maximumFractionDigits: 1 })} MB`
  process.stdout.write(`${file}: ${rowsOf(contents).toLocaleString('en')} rows in ${size}, written and read again.\n`)
  intactOrRefuse('The backup is whole, but the log in it', verdict)
}
