import pg from 'pg'
import type { DatabaseAddress } from './address.ts'
import { asking, isSpent, types } from './connection.ts'
import { inspectSession, type SessionSettings, setForSession, setForTransaction } from './sessions.ts'

export interface PoolOptions {
  readonly address: DatabaseAddress
  readonly connections: number
  /** How long a free connection is waited for. */
  readonly waitMs: number
  readonly settings: SessionSettings
}

/** What pg says when all connections are in use; a host that does not answer is reported in other words. */
const exhausted = 'timeout exceeded when trying to connect'

/**
 * Connections to the first of the hosts that answers, and takes changes if the address asks for that. Works the same behind
 * a pooler that shares server connections between transactions.
 */
export class DatabasePool {
  readonly #pool: pg.Pool
  readonly #address: DatabaseAddress
  readonly #settings: SessionSettings
  #host = 0
  /** Once seen it stays: what a pooler needs works on a direct connection, too, at the price of a few more words in each BEGIN. */
  #isPooled = false

  constructor({ address, connections, waitMs, settings }: PoolOptions) {
    this.#address = address
    this.#settings = settings
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
    // A broken connection is replaced by the pool, and the query that was using it fails. Without a listener the event would end the process.
    this.#pool.on('error', () => {})
    this.#pool.on('connect', (client) => client.on('error', () => {}))
  }

  get used(): { inUse: number; idle: number } {
    const { totalCount, idleCount } = this.#pool
    return { inUse: totalCount - idleCount, idle: idleCount }
  }

  /** How many wait for a connection. */
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
    const { isPooled, isReadOnly } = await inspectSession(client)
    if (isReadOnly && this.#address.wantsPrimary) throw new Error(`${this.#address.label}: no host takes changes`)
    this.#isPooled ||= isPooled
    if (!this.#isPooled) await client.query(asking(setForSession(this.#settings)))
  }

  /** Tries each host once, beginning with the one that worked last. */
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
   * Whatever the default of the database or role is: the order of the log is sound at READ COMMITTED. Locks are waited for as
   * the session says, or for as long as is asked for here.
   */
  async begin(client: pg.PoolClient, lockTimeoutMs?: number): Promise<void> {
    const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED'
    const own = lockTimeoutMs === undefined ? {} : { lock_timeout: lockTimeoutMs }
    const settings = this.#isPooled ? { ...this.#settings, ...own } : own
    await client.query(asking([begin, ...setForTransaction(settings)].join('; ')))
  }

  /** One statement on any connection, under the settings of this pool. */
  async query(config: pg.QueryConfig): Promise<pg.QueryResult> {
    const client = await this.connect()
    try {
      const result = this.#isPooled ? await this.#queryShared(client, config) : await client.query(config)
      client.release()
      return result
    } catch (error) {
      client.release(this.#isPooled || isSpent(error))
      throw error
    }
  }

  /** Behind a pooler only a transaction keeps settings; a statement without a limit needs none. */
  async #queryShared(client: pg.PoolClient, config: pg.QueryConfig): Promise<pg.QueryResult> {
    if (this.#settings.statement_timeout === 0) return client.query(config)
    await this.begin(client)
    const result = await client.query(config)
    await client.query(asking('COMMIT'))
    return result
  }

  end(): Promise<void> {
    return this.#pool.end()
  }
}
