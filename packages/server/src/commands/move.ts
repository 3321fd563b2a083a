import type { ServeConfig } from '../platform/config.ts'
import { misused } from '../platform/refusal.ts'
import { move, nameOf, type Place, rowsOf } from '../platform/storage/copy/index.ts'
import { progressOfPhases } from './progress.ts'
import { readServerArguments } from './server-arguments.ts'
import { intactOrRefuse } from './verdict.ts'

export async function moveCommand(args: string[]): Promise<void> {
  const { config, value } = readServerArguments('move', args, 0)
  const from = placeOf('--from', value('from'), config)
  const to = placeOf('--to', value('to'), config)
  if (from.databaseUrl === to.databaseUrl && (from.databaseUrl || from.dataDir === to.dataDir)) {
    throw misused('--from and --to are the same place.')
  }
  const { contents, verdict } = await move(from, to, progressOfPhases())
  const tables = Object.values(contents.counts).length
  process.stdout.write(
    `Moved ${rowsOf(contents).toLocaleString('en')} rows of ${tables} tables from ${nameOf(from)} to ${nameOf(to)}; all counts agree.\n` +
      'The old one is as it was. Do not serve it again: the two would go different ways.\n',
  )
  intactOrRefuse('The estate is whole, but its log', verdict)
}

/** `sqlite` is the data directory of the settings, `sqlite:DIR` another one; anything else is a PostgreSQL address. */
function placeOf(flag: '--from' | '--to', value: string | undefined, config: ServeConfig): ServeConfig & Place {
  const chosenBy = flag
  const [, directory] = /^sqlite(?::(.*))?$/.exec(value ?? '') ?? []
  if (value === 'sqlite' || directory) {
    return { ...config, chosenBy, databaseUrl: '', dataDir: directory || config.dataDir }
  }
  if (value && /^postgres(ql)?:\/\/./.test(value) && URL.canParse(value)) {
    return { ...config, chosenBy, databaseUrl: value }
  }
  throw misused(`${flag} must be sqlite, sqlite:DIRECTORY or postgres://...; it is '${value ?? ''}'.`)
}
