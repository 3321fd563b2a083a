import { spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort, postgresOwner } from './postgres.ts'

interface Pooler {
  /** The address of the same database through the pooler. */
  through(databaseUrl: string): string
  stop(): Promise<void>
}

const program = process.env.PGBOUNCER ?? '/usr/sbin/pgbouncer'
export const hasPooler = existsSync(program)

/**
 * A real PgBouncer in transaction mode, in front of every database of a server. Configured as by its package, except for idle connections: every test
 * has a database of its own, and the server accepts 300 connections in total.
 */
export async function startPooler(serverUrl: string): Promise<Pooler> {
  const home = mkdtempSync(join(tmpdir(), 'mainline-pooler-'))
  const owner = postgresOwner(home)
  const port = await freePort()
  const target = new URL(serverUrl)
  const config = join(home, 'pgbouncer.ini')
  const users = join(home, 'users.txt')
  // Other roles are looked up in the database.
  writeFileSync(users, `"${target.username}" ""\n`)
  writeFileSync(
    config,
    `[databases]
* = host=${target.hostname} port=${target.port} auth_user=${target.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
max_client_conn = 2000
server_idle_timeout = 5
logfile = ${join(home, 'log')}
`,
  )
  if (owner.uid !== undefined && owner.gid !== undefined) {
    for (const file of [config, users]) chownSync(file, owner.uid, owner.gid)
  }
  const server = spawn(program, ['-q', config], { ...owner, stdio: 'ignore' })
  const exited = new Promise((resolve) => server.once('exit', resolve))
  const through = (databaseUrl: string) => {
    const url = new URL(databaseUrl)
    url.port = String(port)
    return url.href
  }
  await answering(through(serverUrl), () => server.exitCode !== null)
  return {
    through,
    async stop() {
      server.kill('SIGTERM')
      await exited
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function answering(url: string, hasEnded: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000
  while (Date.now() < deadline && !hasEnded()) {
    const client = new pg.Client(url)
    try {
      await client.connect()
      return await client.end()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  throw new Error(`PgBouncer at ${url} did not start`)
}
