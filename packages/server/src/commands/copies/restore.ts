import { misused } from '../../common/refusal.ts'
import { restore, storeName, tableRows } from '../../storage/copy/index.ts'
import { openSigner } from '../../storage/seals/signer.ts'
import { progressOfPhases } from '../progress.ts'
import { readServerArguments } from '../serve/server-arguments.ts'
import { intactOrRefuse } from '../verify/verdict.ts'

export async function restoreCommand(args: string[]): Promise<void> {
  const { words, config } = readServerArguments('restore', args, 1)
  const [file] = words
  if (!file) throw misused("The file is missing: 'mainline restore FILE'.")
  const { header, verdict } = await restore(file, config, progressOfPhases(), openSigner(config))
  const tokens = header.counts.token ?? 0
  process.stdout.write(
    `Restored ${tableRows(header).toLocaleString('en')} rows to ${storeName(config)}, as they were on ${config.timezone.write(header.taken_at)}.\n` +
      'Users have to sign in again, and event watches have to be restarted.\n' +
      (tokens > 0 ? `Tokens have been restored, too: 'mainline token list' shows which of ${tokens} are valid.\n` : ''),
  )
  intactOrRefuse('The estate is complete, but its log', verdict)
}
