import { join } from 'node:path'
import { expect, it } from 'vitest'
import { backUp } from '../packages/server/src/storage/copy/index.ts'
import { sealNext } from '../packages/server/src/storage/log/seals.ts'
import { makeRichEstate } from '../packages/server/src/testing/copies.ts'
import { makeSet } from '../packages/server/src/testing/data/factories.ts'
import { makeServiceRole, runAs, urlAs } from '../packages/server/src/testing/data/roles.ts'
import { configOf, makeStore, startServer } from '../packages/server/src/testing/harness.ts'
import { readLog } from '../packages/server/src/testing/inspect/log.ts'
import { startReceiver } from '../packages/server/src/testing/servers/receiver.ts'

// The roles of docs/guides/operate.md are created by makeServiceRole.
it('serves as a role that owns nothing and cannot rewrite the log', async () => {
  const store = await makeStore('postgres')
  const service = await makeServiceRole(configOf(store))
  const own = { ...store, flags: [...store.flags, `--database-url=${urlAs(store.databaseUrl, service)}`] }
  const receiver = await startReceiver()
  const server = await startServer('postgres', { store: own, flags: ['--migrate=false'] })
  const { business, zone } = await makeRichEstate(server, receiver.url)
  await makeSet(server, business, { bk_parent_id: zone })
  await receiver.received(1)
  await readLog(server.service.storage.read)
  expect(await sealNext(server.service.storage.engine, Date.now(), true)).toBeDefined()
  const { verdict } = await backUp(configOf(own), join(store.dataDir, 'backup'), () => {})
  expect(verdict.faults).toEqual([])

  for (const forbidden of [
    "UPDATE log SET operator = 'stranger'",
    'DELETE FROM seal',
    "UPDATE seal SET hash = ''",
    'DELETE FROM migration',
    'TRUNCATE log',
    'DROP TABLE host',
    'CREATE TABLE mine (one int)',
    'ALTER TABLE log DROP COLUMN operator',
  ]) {
    await expect(runAs(store.databaseUrl, service, forbidden), forbidden).rejects.toThrow(
      /permission denied|must be owner/,
    )
  }
  await server.close()
  await receiver.close()
  store.remove()
})
