import { forgetPast } from '../areas/history/past/index.ts'
import { misused } from '../common/refusal.ts'
import { uniqueId } from '../common/unique-id.ts'
import { writerOver } from '../storage/handles.ts'
import { openEngine } from '../storage/index.ts'
import { expectUpToDate, readMigrations } from '../storage/migrations/migrate.ts'
import { readServerArguments } from './serve/server-arguments.ts'

/** With PostgreSQL it may run beside servers, which begin at once; with embedded storage the next start does. */
export async function historyCommand(args: string[]): Promise<void> {
  const { config, words } = readServerArguments('history', args, 1)
  if (words[0] !== 'rebuild') throw misused("Say 'mainline history rebuild'. See 'mainline history --help'.")
  const engine = await openEngine(config)
  try {
    await expectUpToDate(engine, readMigrations())
    await engine.transact(uniqueId(), (connection) => forgetPast(writerOver(connection, engine)))
    process.stdout.write(
      'A running server derives the past anew from the log; until then, older moments are refused.\n',
    )
  } finally {
    await engine.close()
  }
}
