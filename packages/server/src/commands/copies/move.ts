import type { ServeConfig } from '../../common/config.ts'
import { misused } from '../../common/refusal.ts'
import { move, type StoreLocation, storeName, tableRows } from '../../storage/copy/index.ts'
import { addressFault } from '../../storage/postgres/address.ts'
import { progressOfPhases } from '../progress.ts'
import { readServerArguments } from '../serve/server-arguments.ts'
import { intactOrRefuse } from '../verify/verdict.ts'

export async function moveCommand(args: string[]): Promise<void> {
  const { config, value } = readServerArguments('move', args, 0)
  const from = storageOf('--from', value('from'), config)
  const to = storageOf('--to', value('to'), config)
  if (from.databaseUrl === to.databaseUrl && (from.databaseUrl || from.dataDir === to.dataDir)) {
    throw misused('--from and --to are the same.')
  }
  const { contents, verdict } = await move(from, to, progressOfPhases())
  const tables = Object.values(contents.counts).length
  process.stdout.write(
    `Moved ${tableRows(contents).toLocaleString('en')} rows of ${tables} tables from ${storeName(from)} to ${storeName(to)}; all counts agree.\n` +
      'The source is unchanged. Do not serve it again: the two would diverge.\n',
  )
  intactOrRefuse('The estate is complete, but its log', verdict)
}

/** `sqlite` is the data directory of the settings, `sqlite:DIR` another one; anything else is a PostgreSQL address. */
function storageOf(
  flag: '--from' | '--to',
  value: string | undefined,
  config: ServeConfig,
): ServeConfig & StoreLocation {
  const chosenBy = flag
  const [, directory] = /^sqlite(?::(.*))?$/.exec(value ?? '') ?? []
  if (value === 'sqlite' || directory) {
    return { ...config, chosenBy, databaseUrl: '', dataDir: directory || config.dataDir }
  }
  const forms = 'sqlite, sqlite:DIRECTORY or postgres://...'
  if (value === undefined) throw misused(`${flag} is missing: ${forms}.`)
  if (!/^postgres(ql)?:/.test(value)) {
    // Not shown if it may contain a password.
    const shown = /[@\s]/.test(value) ? '' : `; it is '${value}'`
    throw misused(`${flag} must be ${forms}${shown}.`)
  }
  const fault = addressFault(value)
  if (fault) throw misused(`${flag} ${fault}.`)
  return { ...config, chosenBy, databaseUrl: value }
}
