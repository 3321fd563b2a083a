import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { openEngine, openForReading } from '../../storage/index.ts'
import { migrate, readMigrations } from '../../storage/migrations/migrate.ts'
import { configOf, eachEngine, makeStore, type TestStore } from '../../testing/harness.ts'
import { runCommand } from '../../testing/process.ts'

const older = readMigrations().slice(0, -1)

async function schemaOf(store: TestStore): Promise<number> {
  const { reader, close } = await openForReading(configOf(store))
  const rows = await reader.selectFrom('migration').select('number').execute()
  await close()
  return Math.max(0, ...rows.map(({ number }) => number))
}

eachEngine((engine) => {
  it.each(engine === 'postgres' ? [1, 2] : [1])(
    'a server that cannot listen leaves an older schema as it is, with %i processes',
    async (workers) => {
      const store = await makeStore(engine)
      const opened = await openEngine(configOf(store))
      await migrate(opened, older)
      await opened.close()
      const occupant = createServer().listen(0, '127.0.0.1')
      await once(occupant, 'listening')
      const { port } = occupant.address() as AddressInfo

      const { code, output } = await runCommand(['serve', ...store.flags, `--port=${port}`, `--workers=${workers}`])
      occupant.close()
      expect(output).toBe(
        `Cannot listen on 127.0.0.1:${port}: another program is listening there. Choose another port with --port or PORT.\n`,
      )
      expect(code).toBe(1)
      expect(await schemaOf(store)).toBe(older.at(-1)?.number ?? 0)
      store.remove()
    },
  )
})
