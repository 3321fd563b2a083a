import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import type { Showing } from '../packages/server/src/areas/model/index.ts'
import { createBusiness, createSets } from '../packages/server/src/areas/topology/index.ts'
import { readConfig } from '../packages/server/src/common/config.ts'
import { openService } from '../packages/server/src/service.ts'
import type { Actor, Storage } from '../packages/server/src/storage/index.ts'
import { createDatabase } from '../packages/server/src/testing/servers/postgres.ts'
import { runMainline } from './child.ts'

export type EngineName = 'sqlite' | 'postgres'

/** An empty store for one measurement. */
export interface Store {
  readonly engine: EngineName
  readonly dataDir: string
  readonly databaseUrl: string
  /** The flags that make a server use it. */
  readonly flags: readonly string[]
  remove(): void
}

/** On the disk of the temporary directory, unless that is in memory: TMPDIR chooses another. */
export async function makeStore(engine: EngineName, postgresUrl: string): Promise<Store> {
  const dataDir = mkdtempSync(join(tmpdir(), 'mainline-bench-'))
  const databaseUrl = engine === 'postgres' ? await createDatabase(postgresUrl) : ''
  const remove = () => rmSync(dataDir, { recursive: true, force: true })
  process.once('exit', remove)
  return {
    engine,
    dataDir,
    databaseUrl,
    flags: [`--data-dir=${dataDir}`, ...(databaseUrl ? [`--database-url=${databaseUrl}`] : [])],
    remove() {
      process.off('exit', remove)
      remove()
    },
  }
}

/** A large estate after ANALYZE and a checkpoint, which PostgreSQL would run by itself within minutes. */
export async function loadDemo(store: Store, hosts: number): Promise<void> {
  runMainline(['demo', `--hosts=${hosts}`, ...store.flags])
  if (store.databaseUrl === '') return
  const client = new pg.Client(store.databaseUrl)
  await client.connect()
  await client.query('VACUUM ANALYZE')
  await client.query('CHECKPOINT')
  await client.end()
}

export const configOf = (store: Store) => readConfig([...store.flags], {})
const actor: Actor = { user: 'admin', account: '0', requestId: 'bench' }

/** The attributes of every created set, as in the example of the API document. */
const attributesOf = (name: string) => ({ bk_set_name: name, bk_capacity: 200, bk_set_env: '3' })

/** The request that creates a set. */
export const creation = (business: number, name: string, parent = business) => ({
  path: `/api/v3/set/${business}`,
  body: { bk_biz_id: business, bk_parent_id: parent, bk_supplier_account: '0', ...attributesOf(name) },
})

const setsAtOnce = 500

/** Creates businesses with so many sets each, through the same services as requests. Returns the ids of the businesses. */
export const fill = (store: Store, businesses: number, sets: number): Promise<number[]> =>
  within(store, async (storage, showing) => {
    const ids: number[] = []
    for (let business = 0; business < businesses; business++) {
      const named = { bk_biz_name: `business ${business}` }
      const made = await storage.change(actor, (tx) => createBusiness(tx, named, showing))
      const id = made.bk_biz_id as number
      for (let first = 0; first < sets; first += setsAtOnce) {
        const count = Math.min(sets - first, setsAtOnce)
        const wanted = Array.from({ length: count }, (_, index) => attributesOf(`set ${first + index}`))
        await storage.change(actor, (tx) => createSets(tx, id, id, wanted, showing))
      }
      ids.push(id)
    }
    return ids
  })

/** Works on a store that no server uses yet. */
export async function within<T>(store: Store, work: (storage: Storage, showing: Showing) => Promise<T>): Promise<T> {
  const { storage, close } = await openService(configOf(store), pino({ level: 'silent' }))
  try {
    return await work(storage, { language: 'en', zone: configOf(store).timezone })
  } finally {
    await close()
  }
}
