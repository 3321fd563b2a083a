import { rmSync } from 'node:fs'
import { openStores } from '../../packages/server/src/testing/harness.ts'
import { startPooler } from '../../packages/server/src/testing/servers/pooler.ts'
import { startPostgres } from '../../packages/server/src/testing/servers/postgres.ts'

/** One PostgreSQL for the whole run, and template stores. */
export default async function setup() {
  // Hundreds of databases are created and discarded together: vacuum and checkpoints would only cost time.
  const server = await startPostgres({ autovacuum: 'off', checkpoint_timeout: '1h', max_wal_size: '8GB' })
  process.env.MAINLINE_TEST_POSTGRES = server.url
  const stores = await openStores()
  process.env.MAINLINE_TEST_STORES = JSON.stringify(stores)
  // Started last: a pooler keeps connections to databases, and one in use cannot be copied.
  const pooler = process.env.MAINLINE_TEST_POOLER ? await startPooler(server.url) : undefined
  if (pooler) process.env.MAINLINE_TEST_POOLER_PORT = new URL(pooler.through(server.url)).port
  return async () => {
    rmSync(stores.dataDir, { recursive: true, force: true })
    await pooler?.stop()
    await server.stop()
  }
}
