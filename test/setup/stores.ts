import { existsSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { openStores } from '../../packages/server/src/testing/harness.ts'
import { startPooler } from '../../packages/server/src/testing/servers/pooler.ts'
import { startPostgres } from '../../packages/server/src/testing/servers/postgres.ts'

const sharedMemory = '/dev/shm'
/** Twice what all databases of a run and their write-ahead log take. */
const neededBytes = 12e9

/** Creating and removing hundreds of databases of 400 files each takes a minute on some disks, and seconds in memory. */
function databaseFolder(): string {
  if (!existsSync(sharedMemory) || freemem() < neededBytes) return tmpdir()
  const { bavail, bsize } = statfsSync(sharedMemory)
  return bavail * bsize < neededBytes ? tmpdir() : sharedMemory
}

/** One PostgreSQL for the whole run, and template stores. */
export default async function setup() {
  // Hundreds of databases are created and discarded together: vacuum would only cost time.
  const settings = { autovacuum: 'off', checkpoint_timeout: '1h', max_wal_size: '2GB' }
  const server = await startPostgres(settings, { within: databaseFolder() })
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
