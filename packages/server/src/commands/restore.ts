import { misused } from '../platform/refusal.ts'
import { nameOf, restore, rowsOf } from '../platform/storage/copy/index.ts'
import { progressOfPhases } from './progress.ts'
import { readServerArguments } from './server-arguments.ts'
import { intactOrRefuse } from './verdict.ts'

export async function restoreCommand(args: string[]): Promise<void> {
  const { words, config } = readServerArguments('restore', args, 1)
  const [file] = words
  if (!file) throw misused("What? 'mainline restore FILE' makes an estate from one backup.")
  const { header, verdict } = await restore(file, config, progressOfPhases())
  const tokens = header.counts.token ?? 0
  process.stdout.write(
    `Restored ${rowsOf(header).toLocaleString('en')} rows to ${nameOf(config)}, as they were on ${config.timezone.write(header.taken_at)}.\n` +
      'Everyone has to sign in again, and whoever watches events has to start anew.\n' +
      (tokens > 0 ? `Tokens are as they were then: 'mainline token list' shows which of ${tokens} are good.\n` : ''),
  )
  intactOrRefuse('The estate is whole, but its log', verdict)
}
