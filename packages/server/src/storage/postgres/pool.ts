import { problem } from '@mainline/contract'
import pg from 'pg'
import type { DatabaseAddress } from './address.ts'
import { isSpent, queryConfig, types } from './connection.ts'
import { inspectSession, type SessionSettings, setForSession, setForTransaction } from './sessions.ts'

interface PoolOptions {
  readonly address: DatabaseAddress
  readonly connections: number
  readonly waitMs: number
  readonly settings: SessionSettings
  /** Cancels statements of this pool, all connections of which may be busy. */
  readonly cancelling?: DatabasePool
  /** Called with the start time of the server at the other end of each new connection, before it is used. */
  readonly onServer: (serverStart: string) => void
}

const cancelPauseMs = 1_000

/** pg's message when all connections are in use; a host that does not answer has another message. */
const exhausted = 'timeout exceeded when trying to connect'

/**
 * A connection pool to the first host that answers, and is writable if the address requires that. Also works behind a pooler in
 * transaction mode.
 */
export class DatabasePool {
  readonly #pool: pg.Pool
  readonly #address: DatabaseAddress
  readonly #settings: SessionSettings
  readonly #cancelling: DatabasePool | undefined
  readonly #onServer: (serverStart: string) => void
  #host = 0
  /** Never reset: what a pooler needs also works on direct connections, at the cost of a longer BEGIN. */
  #isPooled = false
  /** Check of new connections, set once the history is known. */
  look: ((client: pg.ClientBase) => Promise<unknown>) | undefined

  constructor({ address, connections, waitMs, settings, cancelling, onServer }: PoolOptions) {
    this.#address = address
    this.#settings = settings
    this.#cancelling = cancelling
    this.#onServer = onServer
    const currentUrl = () => this.#url
    this.#pool = new pg.Pool({
      Client: class extends pg.Client {
        constructor(config: pg.ClientConfig = {}) {
          super({ ...config, connectionString: currentUrl() })
        }
      },
      max: connections,
      types,
      keepAlive: true,
      connectionTimeoutMillis: waitMs,
      idleTimeoutMillis: 60_000,
      application_name: 'mainline',
      onConnect: (client) => this.#prepare(client),
    })
    // The pool replaces broken connections, and their queries fail. Without a listener the event would end the process.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', (client) => client.on('error', () => {}))
  }

  get used(): { inUse: number; idle: number } {
    const { totalCount, idleCount } = this.#pool
    return { inUse: totalCount - idleCount, idle: idleCount }
  }

  get waiting(): number {
    return this.#pool.waitingCount
  }

  get isPooled(): boolean {
    return this.#isPooled
  }

  get #url(): string {
    return this.#address.urls[this.#host] ?? this.#address.urls[0]
  }

  async #prepare(client: pg.ClientBase): Promise<void> {
    const { isPooled, isReadOnly, serverStart } = await inspectSession(client)
    this.#onServer(serverStart)
    if (isReadOnly && this.#address.wantsPrimary) throw new Error(`${this.#address.label}: no host takes changes`)
    this.#isPooled ||= isPooled
    if (!this.#isPooled) await client.query(queryConfig(setForSession(this.#settings)))
    // A read-only standby may lag, so its history is not compared.
    if (!isReadOnly) await this.look?.(client)
  }

  /** Tries each host once, starting with the last one that worked. */
  async connect(): Promise<pg.PoolClient> {
    for (let left = this.#address.urls.length; ; left--) {
      const tried = this.#host
      try {
        return await this.#pool.connect()
      } catch (error) {
        if (left <= 1 || (error instanceof Error && error.message === exhausted)) throw error
        if (this.#host === tried) this.#host = (tried + 1) % this.#address.urls.length
      }
    }
  }

  /**
   * The statements that begin a transaction. The isolation level is set explicitly, whatever the default: the order of the log relies on
   * READ COMMITTED. The lock timeout is the session's unless given.
   */
  beginning(lockTimeoutMs?: number): string[] {
    const own = lockTimeoutMs === undefined ? {} : { lock_timeout: lockTimeoutMs }
    const settings = this.#isPooled ? { ...this.#settings, ...own } : own
    return ['BEGIN ISOLATION LEVEL READ COMMITTED', ...setForTransaction(settings)]
  }

  async begin(client: pg.PoolClient, lockTimeoutMs?: number): Promise<void> {
    await client.query(queryConfig(this.beginning(lockTimeoutMs).join('; ')))
  }

  /** Runs one statement on any connection, with the settings of this pool. It is cancelled when the signal is aborted. */
  async query(config: pg.QueryConfig, abandoned?: AbortSignal): Promise<pg.QueryResult> {
    const client = await this.connect()
    try {
      const result = this.#isPooled
        ? await this.#queryShared(client, config)
        : await this.#queryUntil(client, config, abandoned)
      client.release()
      return result
    } catch (error) {
      client.release(this.#isPooled || isSpent(error))
      throw error
    }
  }

  /** The connection is not released before the cancellation has arrived: it must not meet the next statement. */
  async #queryUntil(client: pg.PoolClient, config: pg.QueryConfig, abandoned?: AbortSignal): Promise<pg.QueryResult> {
    if (abandoned?.aborted) throw problem('clientGone')
    let cancelled: Promise<unknown> | undefined
    let repeated: NodeJS.Timeout | undefined
    const cancel = () => {
      cancelled = this.#cancelling
        ?.query(queryConfig('SELECT pg_cancel_backend($1)', [processOf(client)]))
        .catch(() => {})
      // The first one is ignored if it overtakes the statement.
      repeated = setTimeout(cancel, cancelPauseMs)
    }
    abandoned?.addEventListener('abort', cancel, { once: true })
    try {
      return await client.query(config)
    } finally {
      abandoned?.removeEventListener('abort', cancel)
      clearTimeout(repeated)
      await cancelled
    }
  }

  /** Behind a pooler settings last only within a transaction; a statement without a time limit needs none. */
  async #queryShared(client: pg.PoolClient, config: pg.QueryConfig): Promise<pg.QueryResult> {
    if (this.#settings.statement_timeout === 0) return client.query(config)
    await this.begin(client)
    const result = await client.query(config)
    await client.query(queryConfig('COMMIT'))
    return result
  }

  end(): Promise<void> {
    return this.#pool.end()
  }
}

/** The process of the database behind a connection. Behind a pooler it is made up, and must not be used. */
const processOf = (client: pg.PoolClient): unknown => ('processID' in client ? client.processID : undefined)
