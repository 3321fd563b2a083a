import type { LogRecord } from '../../platform/storage/index.ts'

const mostRecords = 1_000
const mostBytes = 8_000_000

/** The newest records, without gaps, so that a thousand who wait for the same one read it once. */
export class Newest {
  #records: LogRecord[] = []
  #bytes = 0
  #after = 0
  #through = 0

  /** Up to where it knows everything. */
  get through(): number {
    return this.#through
  }

  /** Whether what follows a position is here. */
  follows(position: number): boolean {
    return this.#after <= position && position < this.#through
  }

  /** Whether it would be worth reading everything up to a position. */
  isNear(position: number): boolean {
    return position - this.#through <= mostRecords
  }

  /** Forgets everything: what comes next comes after this position. */
  startAfter(position: number): void {
    this.#records = []
    this.#bytes = 0
    this.#after = position
    this.#through = position
  }

  add(records: readonly LogRecord[]): void {
    for (const record of records) {
      this.#records.push(record)
      this.#bytes += sizeOf(record)
      this.#through = record.position as number
    }
    while (this.#records.length > mostRecords || this.#bytes > mostBytes) {
      const oldest = this.#records.shift() as LogRecord
      this.#bytes -= sizeOf(oldest)
      this.#after = oldest.position as number
    }
  }

  since(position: number): LogRecord[] {
    const first = this.#records[0]?.position ?? 0
    return this.#records.slice(Math.max(0, position + 1 - first))
  }
}

const sizeOf = (record: LogRecord) => record.content.length + record.events.length
