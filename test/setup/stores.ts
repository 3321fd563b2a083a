import { rmSync } from 'node:fs'
import { openStores } from '../../packages/server/src/testing/harness.ts'
import { startPostgres } from '../../packages/server/src/testing/postgres.ts'

/** One PostgreSQL for the whole run, and stores to begin with. */
export default async function setup() {
  const server = await startPostgres()
  process.env.MAINLINE_TEST_POSTGRES = server.url
  const stores = await openStores()
  process.env.MAINLINE_TEST_STORES = JSON.stringify(stores)
  return async () => {
    rmSync(stores.dataDir, { recursive: true, force: true })
    await server.stop()
  }
}
