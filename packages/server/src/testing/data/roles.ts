import { readFileSync } from 'node:fs'
import pg from 'pg'
import { openEngine, type StorageConfig } from '../../storage/index.ts'
import { migrate, readMigrations } from '../../storage/migrations/migrate.ts'

const guide = new URL('../../../../../docs/guides/operate.md', import.meta.url)

/** Runs statements as a role, on the database of the address. */
export async function runAs(url: string, role: string, sql: string): Promise<void> {
  const client = new pg.Client(urlAs(url, role))
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

export const urlAs = (url: string, role: string) => Object.assign(new URL(url), { username: role }).href

/** Creates the tables of an empty database, and a role with few rights, by the statements of the guide; returns its name. */
export async function makeServiceRole(config: StorageConfig & { databaseUrl: string }): Promise<string> {
  const { databaseUrl } = config
  const [owner, service] = [`owner_${process.pid}`, `service_${process.pid}`]
  // The first statements create the roles, the second ones revoke unneeded rights.
  const [roles = '', narrow = ''] = [...readFileSync(guide, 'utf8').matchAll(/^```sql[^\n]*\n(.*?)\n```$/gms)].map(
    ([, sql = '']) => sql.replaceAll('mainline_owner', owner).replaceAll('mainline_service', service),
  )
  await runAs(databaseUrl, 'mainline', roles)
  const engine = await openEngine({ ...config, databaseUrl: urlAs(databaseUrl, owner) })
  await migrate(engine, readMigrations())
  await engine.close()
  await runAs(databaseUrl, owner, narrow)
  return service
}
