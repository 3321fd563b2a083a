/** A record that identifies a history. The id is '' where there is no record: before the first one, or in the gap that a restore leaves. */
export interface HistoryMark {
  readonly position: number
  readonly id: string
}

/** Identifies a record across all copies of the database. */
export const recordId = ({ txn_id, ordinal }: { txn_id: string; ordinal: number }): string => `${txn_id}.${ordinal}`

export const emptyHistory: HistoryMark = { position: 0, id: '' }

const mostMarks = 64

/** Records that this process has read, newest last; thinned out with age. They tell how far a database has gone back. */
export class Marks {
  #marks: HistoryMark[] = [emptyHistory]

  get newest(): HistoryMark {
    return this.#marks.at(-1) ?? emptyHistory
  }

  get all(): readonly HistoryMark[] {
    return this.#marks
  }

  add(mark: HistoryMark): void {
    if (mark.position <= this.newest.position) return
    this.#marks.push(mark)
    if (this.#marks.length <= mostMarks) return
    this.#marks = this.#marks.filter((_, index) => index % 2 === 0 || index > mostMarks / 2)
  }

  restart(mark: HistoryMark): void {
    this.#marks = [emptyHistory]
    this.add(mark)
  }
}
