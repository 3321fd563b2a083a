// The base of the tests: the real service on a real engine, over a real socket.
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Envelope } from '@mainline/contract'
import { type Logger, pino } from 'pino'
import { describe } from 'vitest'
import { readConfig, type ServeConfig } from '../common/config.ts'
import { openService, type Service } from '../service.ts'
import { openEngine } from '../storage/index.ts'
import { witnessIn } from '../storage/sqlite/whereabouts.ts'
import { checkAnswer } from './answers.ts'
import { createDatabase, shutDatabase } from './servers/postgres.ts'

export type EngineName = 'sqlite' | 'postgres'

/** Settings for an empty store of the engine, as flags that every command takes, and a function that removes it. */
export interface TestStore {
  readonly engine: EngineName
  readonly flags: string[]
  readonly dataDir: string
  readonly databaseUrl: string
  remove(): void
}

export async function makeStore(engine: EngineName, original?: OpenedStores): Promise<TestStore> {
  const dataDir = mkdtempSync(join(tmpdir(), 'mainline-test-'))
  if (original) cpSync(original.dataDir, dataDir, { recursive: true })
  const databaseUrl = engine === 'postgres' ? pooled(await createDatabase(postgresUrl(), original?.database)) : ''
  return {
    engine,
    dataDir,
    databaseUrl,
    flags: [`--data-dir=${dataDir}`, ...(databaseUrl ? [`--database-url=${databaseUrl}`] : [])],
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

const poolerPort = () => process.env.MAINLINE_TEST_POOLER_PORT
/** `npm run pooler` puts a PgBouncer between all tests and their databases. */
export const isBehindPooler = Boolean(poolerPort())

function pooled(databaseUrl: string): string {
  const port = poolerPort()
  if (!port) return databaseUrl
  const url = new URL(databaseUrl)
  url.port = port
  return url.href
}

/** Template stores that a service has initialised: initialising takes longer than most tests. */
interface OpenedStores {
  readonly dataDir: string
  readonly database: string
}

/** Created once for the whole run, before any test. */
export const openedStores = (): OpenedStores => JSON.parse(process.env.MAINLINE_TEST_STORES ?? '') as OpenedStores

export async function openStores(): Promise<OpenedStores> {
  const [embedded, shared] = [await makeStore('sqlite'), await makeStore('postgres')]
  for (const store of [embedded, shared]) await (await openService(configOf(store), silent)).close()
  for (const store of [embedded, shared]) await forgetPlace(store)
  const database = new URL(shared.databaseUrl).pathname.slice(1)
  await shutDatabase(postgresUrl(), database)
  return { dataDir: embedded.dataDir, database }
}

/** Its copies must not be detected as restored copies of a database in use. */
export async function forgetPlace(store: TestStore): Promise<void> {
  const engine = await openEngine(configOf(store))
  await engine.script(`UPDATE history_reset SET place = ''`)
  await engine.close()
  rmSync(witnessIn(store.dataDir), { force: true })
}

/** Started once for the whole run, before any test. */
export function postgresUrl(): string {
  const url = process.env.MAINLINE_TEST_POSTGRES
  if (!url) throw new Error('MAINLINE_TEST_POSTGRES is not set: run the tests through vitest')
  return url
}

export const configOf = (store: TestStore, flags: string[] = []): ServeConfig =>
  readConfig(['--port=0', ...store.flags, ...flags], {})

export const silent: Logger = pino({ level: 'silent' })

/** Runs the suite for each engine. */
export function eachEngine(define: (engine: EngineName) => void): void {
  describe.each<EngineName>(['sqlite', 'postgres'])('on %s', define)
}

export interface Answer<Data = unknown> extends Envelope<Data> {
  status: number
  headers: Headers
}

export interface TestServer {
  readonly url: string
  readonly service: Service
  readonly store: TestStore
  call<Data = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<Data>>
  close(): Promise<void>
}

/** The real service, listening, in a store of its own unless one is given. `path` in calls is below /api/v3. */
export async function startServer(
  engine: EngineName,
  { flags = [], log = silent, store }: { flags?: string[]; log?: Logger; store?: TestStore } = {},
): Promise<TestServer> {
  const own = store ?? (await makeStore(engine, openedStores()))
  // The event loop is shared with the test: its lag does not tell whether the server keeps up.
  const service = await openService(configOf(own, ['--max-lag=0', ...flags]), log)
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 })
  return {
    url,
    service,
    store: own,
    call: (method, path, body, headers) => call(url, method, path, body, headers),
    async close() {
      await service.close()
      if (!store) own.remove()
    },
  }
}

/** Sends a body as JSON, or unchanged if it is text; validates the envelope and the data against the contract. */
export async function call<Data>(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<Data>> {
  const answer = await fetch(`${url}/api/v3${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const envelope = (await answer.json()) as Envelope<Data>
  if (typeof envelope.result !== 'boolean' || typeof envelope.bk_error_code !== 'number') {
    throw new Error(`not an envelope: ${JSON.stringify(envelope)}`)
  }
  if (envelope.result) checkAnswer(method, path, envelope)
  return { ...envelope, status: answer.status, headers: answer.headers }
}
