import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { Compilable } from 'kysely'
import type { Connection } from './connection.ts'
import { rowsOf } from './connection.ts'
import type { Dialect } from './dialect.ts'
import { connectionOf, isCommitted, type Reader, type Writer } from './handles.ts'

/** Placeholder for a value while a statement is compiled. */
class Hole {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

interface Compiled {
  readonly sql: string
  /** Holes for values, mixed with constants. */
  readonly parameters: readonly unknown[]
}

/**
 * A query that is built and compiled once per engine, then only bound: building takes longer than SQLite needs to run it. The builder
 * gets placeholders, which it may pass on but not inspect.
 *
 *     const findHost = prepared((reader, { id }: { id: number }) => reader.selectFrom('host').selectAll().where('id', '=', id))
 *     const [host] = await findHost(tx, { id: 7 })
 */
export const prepared = <Values extends object, Row>(
  build: (reader: Reader, values: Values) => Compilable<Row>,
): ((reader: Reader, values: Values) => Promise<Row[]>) => fillingIn(build)

/**
 * As `prepared`, but concurrent identical reads share one query: a hundred requests cost one or two, and no result is older than its
 * request. A remote query starts at the end of the event loop's turn, for all requests made by then; requests made while it is running
 * share the next one. Reads of a transaction are never shared.
 */
export function preparedShared<Values extends object, Row>(
  build: (reader: Reader, values: Values) => Compilable<Row>,
): (reader: Reader, values: Values) => Promise<readonly Row[]> {
  const read = fillingIn(build)
  const underway = new WeakMap<Connection, Map<string, Reading<Row>>>()
  return (reader, values) => {
    if (!isCommitted(reader)) return read(reader, values)
    const connection = connectionOf(reader)
    const readings = underway.get(connection) ?? new Map<string, Reading<Row>>()
    underway.set(connection, readings)
    const key = JSON.stringify(values)
    const begin = (): Promise<Row[]> => {
      const rows = connection.isFar
        ? endOfTurn().then(() => {
            reading.hasBegun = true
            return read(reader, values)
          })
        : read(reader, values)
      const reading: Reading<Row> = { rows, hasBegun: !connection.isFar, next: undefined }
      readings.set(key, reading)
      const end = () => {
        if (!reading.next) readings.delete(key)
      }
      rows.then(end, end)
      return rows
    }
    const reading = readings.get(key)
    if (!reading) return begin()
    if (!reading.hasBegun) return reading.rows
    reading.next ??= reading.rows.then(begin, begin)
    return reading.next
  }
}

interface Reading<Row> {
  readonly rows: Promise<Row[]>
  hasBegun: boolean
  next: Promise<Row[]> | undefined
}

/** As `prepared`, for statements that write. */
export const preparedChange = <Values extends object, Row>(
  build: (writer: Writer, values: Values) => Compilable<Row>,
): ((writer: Writer, values: Values) => Promise<Row[]>) => fillingIn(build)

function fillingIn<Handle extends Reader, Values extends object, Row>(
  build: (handle: Handle, values: Values) => Compilable<Row>,
): (handle: Handle, values: Values) => Promise<Row[]> {
  const known = new Map<Dialect, Compiled>()
  return async (handle, values) => {
    let compiled = known.get(handle.dialect)
    if (!compiled) {
      const holes = new Proxy({} as Values, { get: (_, name) => new Hole(String(name)) })
      compiled = build(handle, holes).compile()
      known.set(handle.dialect, compiled)
    }
    const parameters = compiled.parameters.map((value) =>
      value instanceof Hole ? values[value.name as keyof Values] : value,
    )
    const { rows } = await connectionOf(handle).query(compiled.sql, parameters)
    return rowsOf<Row>(rows)
  }
}
