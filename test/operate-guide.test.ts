import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, it } from 'vitest'
import { describeConfig } from '../packages/server/src/platform/config.ts'
import { backUp } from '../packages/server/src/platform/storage/copy/index.ts'
import { openEngine } from '../packages/server/src/platform/storage/index.ts'
import { sealNext } from '../packages/server/src/platform/storage/log/seals.ts'
import { migrate, readMigrations } from '../packages/server/src/platform/storage/migrate.ts'
import { makeRichEstate } from '../packages/server/src/testing/copies.ts'
import { makeSet } from '../packages/server/src/testing/factories.ts'
import { configOf, makeStore, startServer } from '../packages/server/src/testing/harness.ts'
import { readLog } from '../packages/server/src/testing/log.ts'
import { entry } from '../packages/server/src/testing/process.ts'
import { startReceiver } from '../packages/server/src/testing/receiver.ts'

const guide = readFileSync('docs/guides/operate.md', 'utf8')
const blocks = (kind: string) =>
  [...guide.matchAll(new RegExp(`<!-- ${kind} -->\\n\`\`\`\\w+\\n(.*?)\\n\`\`\``, 'gs'))].map(([, text = '']) => text)

it('the drill of the guide takes a backup beside a server, restores it elsewhere and finds it intact', async () => {
  const store = await makeStore('sqlite')
  const home = mkdtempSync(join(tmpdir(), 'mainline-drill-'))
  const server = await startServer('sqlite', { store })
  const [take = '', drill = ''] = blocks('run: drill')
  const mainline = `export MAINLINE_DATA_DIR="${store.dataDir}"; mainline() { "${process.execPath}" "${entry}" "$@"; }`
  const printed = execFileSync('bash', ['-euc', `${mainline}\n${take}\n${drill}`], { cwd: home, encoding: 'utf8' })
  expect(printed).toMatch(/^backup.mainline: [\d,]+ rows in .* MB, written and read again\.\n/)
  expect(printed).toContain('backup.mainline is whole')
  expect(printed).toMatch(/Restored [\d,]+ rows to \/.*restored once\.\n$/s)
  await server.close()
  rmSync(home, { recursive: true })
  store.remove()
})

it('names settings that there are', () => {
  for (const [name] of guide.matchAll(/MAINLINE_[A-Z_]+/g)) expect(describeConfig()).toContain(name)
})

/** Runs statements as a role, on the database of the address. */
async function as(url: string, role: string, sql: string): Promise<void> {
  const client = new pg.Client(urlOf(url, role))
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

const urlOf = (url: string, role: string) => Object.assign(new URL(url), { username: role }).href

it('serves as a role that owns nothing and cannot rewrite the log', async () => {
  const store = await makeStore('postgres')
  const owner = `owner_${process.pid}`
  const service = `service_${process.pid}`
  const spelled = (kind: string) =>
    (blocks(`sql: ${kind}`)[0] ?? '').replaceAll('mainline_owner', owner).replaceAll('mainline_service', service)
  await as(store.databaseUrl, 'mainline', spelled('roles'))
  const engine = await openEngine({ ...configOf(store), databaseUrl: urlOf(store.databaseUrl, owner) })
  await migrate(engine, readMigrations())
  await engine.close()
  await as(store.databaseUrl, owner, spelled('narrow'))

  const own = { ...store, flags: [...store.flags, `--database-url=${urlOf(store.databaseUrl, service)}`] }
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
    "UPDATE log SET operator = 'nobody'",
    'DELETE FROM seal',
    "UPDATE seal SET hash = ''",
    'DELETE FROM migration',
    'TRUNCATE log',
    'DROP TABLE host',
    'CREATE TABLE mine (one int)',
    'ALTER TABLE log DROP COLUMN operator',
  ]) {
    await expect(as(store.databaseUrl, service, forbidden), forbidden).rejects.toThrow(
      /permission denied|must be owner/,
    )
  }
  await server.close()
  await receiver.close()
  store.remove()
})
