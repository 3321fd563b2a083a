import { present } from '../../../../common/present.ts'
import { emptyHistory, type HistoryMark, type LogRecord, recordId } from '../../../../storage/index.ts'

const maxNewestRecords = 1_000
const maxNewestBytes = 8_000_000

/** Cache of the newest records, without gaps, so that a thousand waiting clients cause one read. */
export class Newest {
  #records: LogRecord[] = []
  #bytes = 0
  #after = 0
  #through: HistoryMark = emptyHistory

  /** The last position of the cached range. */
  get through(): HistoryMark {
    return this.#through
  }

  /** Whether the records after a position are cached. */
  follows(position: number): boolean {
    return this.#after <= position && position < this.#through.position
  }

  /** Whether the cache should read all records up to a position. */
  isNear(position: number): boolean {
    return position - this.#through.position <= maxNewestRecords
  }

  /** Clears the cache; its range now starts after this position. */
  startAfter({ position, id }: HistoryMark): void {
    this.#records = []
    this.#bytes = 0
    this.#after = position
    this.#through = { position, id }
  }

  add(records: readonly LogRecord[]): void {
    for (const record of records) {
      this.#records.push(record)
      this.#bytes += sizeOf(record)
      this.#through = { position: present(record.position), id: recordId(record) }
    }
    while (this.#records.length > maxNewestRecords || this.#bytes > maxNewestBytes) {
      const oldest = present(this.#records.shift())
      this.#bytes -= sizeOf(oldest)
      this.#after = present(oldest.position)
    }
  }

  since(position: number): LogRecord[] {
    const first = this.#records[0]?.position ?? 0
    return this.#records.slice(Math.max(0, position + 1 - first))
  }
}

const sizeOf = (record: LogRecord) => record.content.length + record.events.length
