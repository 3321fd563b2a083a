import { openEngine } from '../storage/index.ts'
import { migrate, readMigrations } from '../storage/migrations/migrate.ts'
import { readServerArguments } from './serve/server-arguments.ts'

export async function migrateCommand(args: string[]): Promise<void> {
  const engine = await openEngine(readServerArguments('migrate', args, 0).config)
  try {
    const applied = await migrate(engine, readMigrations())
    process.stdout.write(applied.length > 0 ? `Applied ${applied.join(', ')}.\n` : 'The schema is up to date.\n')
  } finally {
    await engine.close()
  }
}
