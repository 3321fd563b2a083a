import { setImmediate as nextTurn } from 'node:timers/promises'
import { currentCaller } from '../common/caller.ts'
import { FairSlots } from '../common/concurrency/fair-slots.ts'
import { opening } from './page.ts'
import { changeRow, type StoredRow, StoredRows, textOfRow } from './stored-rows.ts'
import { Stream } from './stream.ts'

/** Large lists sent concurrently: each keeps a row or two in memory until its client has read them. */
const openLists = new FairSlots({ maxRunning: 32, maxRunningPerCaller: 4, maxWaiting: 400, maxWaitingPerCaller: 100 })
/** Rows read and serialised concurrently: each may hold the event loop for 15 ms. */
const rowTurns = new FairSlots({ maxRunning: 2, maxRunningPerCaller: 1, maxWaiting: 400, maxWaitingPerCaller: 100 })

/**
 * An answer of `{count, info}` whose rows are too large to be in memory together: 200 saved queries may have 200 MB. They are read, serialised and
 * sent a few at a time, with backpressure.
 */
export class LargeList<Row = unknown> {
  readonly count: number
  readonly #rows: AsyncIterable<Row>

  constructor(count: number, rows: AsyncIterable<Row>) {
    this.count = count
    this.#rows = rows
  }

  map<Other>(show: (row: Row) => Other): LargeList<Other> {
    const rows = this.#rows
    async function* shown() {
      for await (const row of rows) yield show(row)
    }
    return new LargeList(this.count, shown())
  }

  /** The whole envelope, with the dialect's text for success, when it is the caller's turn. The stream must be consumed or returned. */
  async stream(success: string): Promise<Stream> {
    const caller = currentCaller()
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    await new Promise<void>((entered, refused) => {
      const holdSlot = () => {
        entered()
        return ended
      }
      openLists.run(caller, holdSlot).catch(refused)
    })
    return new Stream('application/json; charset=utf-8', () => this.#texts(success, caller, end))
  }

  async *#texts(success: string, caller: string, end: () => void): AsyncIterable<string> {
    try {
      yield `${opening(success)}{"count":${this.count},"info":[`
      const rows = this.#rows[Symbol.asyncIterator]()
      const next = () =>
        rowTurns.run(caller, async () => {
          const { done, value } = await rows.next()
          const text = done ? undefined : textOfRow(value)
          await nextTurn()
          return text
        })
      let separator = ''
      for (let text = await next(); text !== undefined; text = await next()) {
        yield separator + text
        separator = ','
      }
      yield ']}}'
    } finally {
      end()
    }
  }
}

/** Transforms the rows of an answer, in whichever form it is. */
export function mapRows<Row, Data extends { readonly info: Row[] }>(answer: Data, change: (row: Row) => Row): Data {
  const sent: unknown = answer
  const changed = (row: unknown) => changeRow(row as Row | StoredRow<Row>, change)
  if (sent instanceof LargeList) return sent.map(changed) as unknown as Data
  if (sent instanceof StoredRows) return sent.map((row) => change(row as Row)) as unknown as Data
  return { ...answer, info: answer.info.map(change) }
}
