import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { Compilable } from 'kysely'
import { isCommitted } from './cache.ts'
import type { Connection } from './connection.ts'
import type { Dialect } from './dialect.ts'
import { connectionOf, type Reader, type Writer } from './handles.ts'

/** Stands for a value while a statement is compiled. */
class Hole {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

interface Compiled {
  readonly sql: string
  /** Holes where a value goes, and what is the same every time. */
  readonly parameters: readonly unknown[]
}

/**
 * A query that is built and compiled once for each engine and then only filled in: building one anew takes longer than
 * SQLite takes to answer it. The builder sees placeholders for the values: it may pass them on, but not look at them.
 *
 *     const findHost = prepared((reader, { id }: { id: number }) => reader.selectFrom('host').selectAll().where('id', '=', id))
 *     const [host] = await findHost(tx, { id: 7 })
 */
export const prepared = <Values extends object, Row>(
  build: (reader: Reader, values: Values) => Compilable<Row>,
): ((reader: Reader, values: Values) => Promise<Row[]>) => fillingIn(build)

/**
 * The same for what many requests ask at once: nobody sees anything older than their question, and a hundred questions cost
 * one reading or two. A reading that goes far begins at the end of the event loop's turn, for all who have asked by then; who
 * asks while it is under way shares the next. What a transaction reads is shared with no other request.
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

/** A statement that writes; it demands a handle that may. */
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
    return rows as Row[]
  }
}
