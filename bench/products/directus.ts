import { execFileSync } from 'node:child_process'
import { freePort } from '../../packages/server/src/testing/servers/postgres.ts'
import { startProgram } from '../child.ts'
import { request } from '../load.ts'
import { installFromNpm, lazily, temporaryFolder } from './install.ts'
import { type Adapter, addressOf, type Start } from './product.ts'

/** The newest release that runs on Node 20. */
const release = 'directus@11.3.5'
const token = 'token-of-the-bench'

/** Installed once for both engines. Directus runs scripts of users in isolated-vm, and does not start without it. */
const installed = lazily(() => {
  const folder = temporaryFolder()
  return { folder, node: installFromNpm(folder, release, ['isolated-vm']) }
})

export const start: Start = async (databaseUrl) => {
  const { folder, node } = installed()
  const port = await freePort()
  const environment = {
    PATH: process.env.PATH,
    HOME: folder,
    HOST: '127.0.0.1',
    PORT: `${port}`,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: databaseUrl,
    SECRET: 'bench',
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: 'password-of-the-bench',
    ADMIN_TOKEN: token,
    TELEMETRY: 'false',
    LOG_LEVEL: 'error',
    PRESSURE_LIMITER_ENABLED: 'false',
  }
  const command = (name: string) => ['--no-node-snapshot', 'node_modules/directus/cli.js', name]
  execFileSync(node, command('bootstrap'), { cwd: folder, env: environment, stdio: ['ignore', 'ignore', 'inherit'] })
  const program = { command: node, args: command('start'), folder, environment }
  const child = await startProgram(program, { port, path: '/server/ping' })
  return { ...child, address: new URL(`http://127.0.0.1:${port}`) }
}

/** The attributes that the works filter by are indexed, and changes are recorded in activity and revisions, as they are by default. */
export const adapt: Adapter = async (address, { sets, modulesPerSet, hostsPerModule }) => {
  const ask = async (path: string, body: unknown): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(new URL(path, address), { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
  }
  await ask('/collections', collection('nodes', { name: 'string' }))
  await ask('/collections', collection('hosts', { ip: 'string', os_type: 'string', cpu: 'integer', set_id: 'integer' }))
  const hostsPerSet = modulesPerSet * hostsPerModule
  for (let set = 0; set < sets; set++) await ask('/items/hosts', hostsFrom(set * hostsPerSet, hostsPerSet, set))
  const detail = Math.floor((sets * hostsPerSet) / 2)
  let made = 0
  const call = (method: string, path: string, body?: unknown) => request(method, path, { body, token })
  const search = (filter: string) => call('GET', `/items/hosts?limit=20&meta=filter_count&${filter}`)
  const mark = '"data"'
  return {
    name: release,
    port: Number(address.port),
    works: {
      list: { next: () => search(`filter[set_id][_eq]=${made++ % sets}&filter[os_type][_eq]=1`), mark },
      search: { next: () => search('filter[cpu][_eq]=8&filter[os_type][_eq]=1'), mark },
      detail: { next: () => call('GET', `/items/hosts/${detail}`), mark },
      create: { next: () => call('POST', '/items/nodes', { name: `created ${made++}` }), mark },
      update: { next: () => call('PATCH', `/items/hosts/${detail}`, { cpu: 8 + (made++ % 100) }), mark },
      audit: { next: () => call('GET', '/revisions?limit=20&sort=-id&fields=*,activity.*'), mark },
      bulk: { next: () => call('POST', '/items/hosts', hostsFrom(1_000_000 + 100 * made++, 100, 0)), mark },
    },
  }
}

const collection = (name: string, types: Record<string, string>) => ({
  collection: name,
  schema: {},
  meta: { accountability: 'all' },
  fields: [
    { field: 'id', type: 'integer', schema: { is_primary_key: true, has_auto_increment: true } },
    ...Object.entries(types).map(([field, type]) => ({ field, type, schema: { is_indexed: true } })),
  ],
})

const hostsFrom = (first: number, count: number, set: number) =>
  Array.from({ length: count }, (_, row) => ({
    ip: addressOf(first + row),
    os_type: row % 3 === 0 ? '2' : '1',
    cpu: 8,
    set_id: set,
  }))
