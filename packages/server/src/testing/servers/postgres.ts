import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)

export interface PostgresServer {
  /** The address of the maintenance database; every test creates its own. */
  readonly url: string
  readonly port: number
  /** Its data directory. */
  readonly data: string
  /** Stops immediately, as in a power failure; `start` restarts it on the same port. */
  crash(): Promise<void>
  start(): Promise<void>
  /** Stops all of its processes by SIGSTOP until they are resumed. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
}

interface PostgresOptions {
  readonly standbyOf?: { port: number }
  readonly env?: NodeJS.ProcessEnv
  /** The folder of its temporary directory. */
  readonly within?: string
}

/** A real PostgreSQL in a temporary directory, removed after the tests. */
export async function startPostgres(
  settings: Record<string, string> = {},
  { standbyOf, env = {}, within = tmpdir() }: PostgresOptions = {},
): Promise<PostgresServer> {
  const bin = binaries()
  const home = mkdtempSync(join(within, 'mainline-pg-'))
  const owner = postgresOwner(home)
  const data = join(home, 'data')
  if (standbyOf) {
    const from = ['-h', '127.0.0.1', '-p', `${standbyOf.port}`, '-U', 'mainline']
    await run(join(bin, 'pg_basebackup'), ['-D', data, '-R', '-c', 'fast', '--no-sync', ...from], owner)
  } else {
    // Not the C locale: sorting by code point must be declared by our columns.
    const locale = ['--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US', '--encoding=UTF8']
    await run(join(bin, 'initdb'), ['-D', data, '-U', 'mainline', '--auth=trust', '--no-sync', ...locale], owner)
  }

  const port = await freePort()
  const options = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: home,
    fsync: 'off',
    max_connections: '300',
    ...settings,
  }
  const args = ['-D', data, ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const url = `postgres://mainline@127.0.0.1:${port}/postgres`
  let server: ChildProcess
  let exited: Promise<unknown>
  const kill = () => server.kill('SIGQUIT')
  const start = async () => {
    server = spawn(join(bin, 'postgres'), args, { ...owner, stdio: 'ignore', env: { ...process.env, ...env } })
    exited = new Promise((resolve) => server.once('exit', resolve))
    await answering(url)
  }
  const toAll = (name: NodeJS.Signals) => {
    for (const pid of [server.pid as number, ...childrenOf(server.pid as number)]) process.kill(pid, name)
  }
  await start()
  process.once('exit', kill)
  return {
    url,
    port,
    data,
    start,
    async crash() {
      server.kill('SIGQUIT')
      await exited
    },
    freeze: () => toAll('SIGSTOP'),
    thaw: () => toAll('SIGCONT'),
    async stop() {
      process.off('exit', kill)
      server.kill('SIGINT')
      await exited
      rmSync(home, { recursive: true, force: true })
    },
  }
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

/** A base backup that can be recovered, as created by backup programs. */
export async function takeBaseBackup({ port }: PostgresServer, home: string): Promise<string> {
  const copy = join(home, 'base')
  const from = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'mainline']
  await run(join(binaries(), 'pg_basebackup'), ['-D', copy, '-c', 'fast', '--no-sync', ...from], postgresOwner(home))
  return copy
}

/** An empty database on a running server, or a copy of another without connections; returns its address. */
export async function createDatabase(serverUrl: string, original = 'template1'): Promise<string> {
  const name = `test_${process.pid}_${Math.random().toString(36).slice(2, 10)}`
  const client = new pg.Client(serverUrl)
  await client.connect()
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${original}`)
  await client.end()
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Refuses all connections to a database, including those of autovacuum: a database in use cannot be copied. */
export async function shutDatabase(serverUrl: string, name: string): Promise<void> {
  const client = new pg.Client(serverUrl)
  await client.connect()
  await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
  await client.end()
}

function binaries(): string {
  if (process.env.POSTGRES_BIN) return process.env.POSTGRES_BIN
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  return versions[0] ? join(debian, versions[0], 'bin') : ''
}

/** PostgreSQL refuses to run as root; it then runs as the user created by its package. */
export function postgresOwner(home: string): { uid?: number; gid?: number; cwd: string } {
  if (process.getuid?.() !== 0) return { cwd: home }
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const owner = { uid: id('-u'), gid: id('-g') }
  chownSync(home, owner.uid, owner.gid)
  return { ...owner, cwd: home }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

async function answering(url: string): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const client = new pg.Client(url)
    try {
      await client.connect()
      await client.end()
      return
    } catch {
      await pause(50)
    }
  }
  throw new Error(`PostgreSQL at ${url} did not start`)
}
