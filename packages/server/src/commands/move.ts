import { readConfig, readOwnFlags, type ServeConfig } from '../platform/config.ts'
import { Refusal } from '../platform/refusal.ts'
import { move, nameOf, rowsOf } from '../platform/storage/copy/index.ts'
import { progressOfPhases } from './progress.ts'
import { intactOrRefuse } from './verdict.ts'

export async function moveCommand(args: string[]): Promise<void> {
  const { values, words, rest } = readOwnFlags(args, { from: { type: 'string' }, to: { type: 'string' } })
  if (words.length > 0) throw new Refusal(`'${words[0]}' is not understood here. See 'mainline move --help'.`)
  const config = readConfig(rest, process.env)
  const from = placeOf('--from', values.from, config)
  const to = placeOf('--to', values.to, config)
  if (from.databaseUrl === to.databaseUrl && (from.databaseUrl || from.dataDir === to.dataDir)) {
    throw new Refusal('--from and --to are the same place.')
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
function placeOf(flag: string, value: unknown, config: ServeConfig): ServeConfig {
  const [, directory] = /^sqlite(?::(.*))?$/.exec(String(value ?? '')) ?? []
  if (value === 'sqlite' || directory) return { ...config, databaseUrl: '', dataDir: directory || config.dataDir }
  if (/^postgres(ql)?:\/\/./.test(String(value ?? '')) && URL.canParse(String(value))) {
    return { ...config, databaseUrl: String(value) }
  }
  throw new Refusal(`${flag} must be sqlite, sqlite:DIRECTORY or postgres://...; it is '${value ?? ''}'.`)
}
