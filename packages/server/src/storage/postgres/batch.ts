import type pg from 'pg'
import type { Rows } from '../connection.ts'

/** A result with the command that PostgreSQL has executed: it answers the COMMIT of a failed transaction with ROLLBACK. */
export interface Answer extends Rows {
  readonly command: string
}

export interface Statement {
  readonly sql: string
  /** In PostgreSQL's text format. */
  readonly parameters: readonly (string | null)[]
  /** Name of its prepared statement; without one it is parsed every time. */
  readonly name: string | undefined
  readonly answer: PromiseWithResolvers<Answer>
}

interface Column {
  readonly name: string
  readonly parse: (text: string) => unknown
}

/** What a connection has prepared: the columns by statement name, or undefined until its first result has described them. */
type Prepared = Map<string, readonly Column[] | undefined>

const preparedOn = new WeakMap<pg.Connection, Prepared>()

/**
 * Several statements in one round trip, as one group of the extended query protocol: PostgreSQL skips the statements after one that
 * fails, so each runs only if all before it have succeeded. To be used inside a transaction.
 *
 * pg calls the methods; its own pipeline mode ends each statement with a Sync, which costs PostgreSQL a write and an error does not stop
 * the statements after it.
 */
export class Batch implements pg.Submittable {
  readonly query_timeout: number
  /** pg replaces it to stop the timer of `query_timeout`. */
  callback: (error?: Error | null) => void = () => {}
  readonly statements: readonly Statement[]
  readonly #types: pg.CustomTypesConfig
  #prepared: Prepared = new Map()
  /** Statements whose ParseComplete has not arrived. */
  readonly #parsing: Statement[] = []
  readonly #answers: Answer[] = []
  #columns: readonly Column[] | undefined
  #rows: Record<string, unknown>[] = []
  #ended = false

  constructor(statements: readonly Statement[], types: pg.CustomTypesConfig, timeoutMs: number) {
    this.statements = statements
    this.#types = types
    this.query_timeout = timeoutMs
  }

  submit(connection: pg.Connection): void {
    const prepared = preparedOn.get(connection) ?? new Map()
    preparedOn.set(connection, prepared)
    this.#prepared = prepared
    const named = new Set<string>()
    // One system call for all messages.
    connection.stream.cork()
    for (const statement of this.statements) {
      const { sql, name = '', parameters } = statement
      if (name === '' || !(prepared.has(name) || named.has(name))) {
        connection.parse({ name, text: sql, types: [] }, true)
        this.#parsing.push(statement)
        named.add(name)
      }
      connection.bind({ statement: name, values: [...parameters] }, true)
      if (!prepared.get(name)) connection.describe({ type: 'P' }, true)
      connection.execute(null, true)
    }
    connection.sync()
    connection.stream.uncork()
    if (this.#parsing.length > 0) this.#rememberParsed(connection)
    this.#begin()
  }

  #rememberParsed(connection: pg.Connection): void {
    const onParsed = () => {
      const name = this.#parsing.shift()?.name
      if (name !== undefined) this.#prepared.set(name, undefined)
      if (this.#parsing.length === 0) connection.off('parseComplete', onParsed)
    }
    connection.on('parseComplete', onParsed)
    // After a failure the rest is not parsed.
    this.#stopListening = () => connection.off('parseComplete', onParsed)
  }

  #stopListening: () => void = () => {}

  get #current(): Statement | undefined {
    return this.statements[this.#answers.length]
  }

  #begin(): void {
    this.#rows = []
    this.#columns = this.#prepared.get(this.#current?.name ?? '')
  }

  handleRowDescription({ fields }: { fields: readonly pg.FieldDef[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.#types.getTypeParser(dataTypeID, 'text'),
    }))
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const row: Record<string, unknown> = {}
    for (const [index, { name, parse }] of (this.#columns ?? []).entries()) {
      const text = fields[index]
      row[name] = text === null || text === undefined ? null : parse(text)
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { text: string }): void {
    const name = this.#current?.name
    if (name !== undefined && this.#prepared.has(name)) this.#prepared.set(name, this.#columns ?? [])
    const [command = '', ...counts] = text.split(' ')
    this.#answers.push({ command, rows: this.#rows, affected: Number(counts.at(-1) ?? 0) })
    this.#begin()
  }

  handleReadyForQuery(): void {
    this.#end(undefined)
  }

  /** The error of the statement that failed, or that the connection was lost or did not answer in time. */
  handleError(error: Error): void {
    this.#end(error)
  }

  /** Answers are given together, so that the statements that they lead to form the next batch. */
  #end(error: Error | undefined): void {
    if (this.#ended) return
    this.#ended = true
    this.#stopListening()
    for (const [index, { answer }] of this.statements.entries()) {
      const result = this.#answers[index]
      if (result) answer.resolve(result)
      else answer.reject(error ?? new Error('PostgreSQL did not answer a statement'))
    }
    this.callback(error ?? null)
  }
}

/** A parameter in PostgreSQL's text format. */
export function inText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return `{${value.map((member) => (typeof member === 'string' ? quoted(member) : member))}}`
  if (typeof value === 'object') throw new Error('objects are not bound')
  return String(value)
}

const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`
