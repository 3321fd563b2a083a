/** A record that identifies a history. The id is '' where there is no record: before the first one, or in the gap that a restore leaves. */
export interface HistoryMark {
  readonly position: number
  readonly id: string
}

/** Identifies a record across all copies of the database. */
export const recordId = ({ txn_id, ordinal }: { txn_id: string; ordinal: number }): string => `${txn_id}.${ordinal}`

export const emptyHistory: HistoryMark = { position: 0, id: '' }

/** Thinned out when there are so many; a third of them remain for a log of a billion records. */
const mostMarks = 1_000
/** The largest distance between two neighbours that thinning leaves, as a share of how far they are from the newest. */
const sparseness = 1 / 32

/** Records that this process has read, oldest first; the older, the sparser. They tell how far a database has gone back. */
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
    if (this.#marks.length > mostMarks) this.#marks = thinned(this.#marks)
  }

  restart(mark: HistoryMark): void {
    this.#marks = [emptyHistory]
    this.add(mark)
  }
}

/** From the newest backwards, without marks whose neighbours are close enough to each other; the first one stays. */
function thinned(marks: readonly HistoryMark[]): HistoryMark[] {
  const newest = marks.at(-1)?.position ?? 0
  const kept: HistoryMark[] = []
  for (const [index, mark] of [...marks.entries()].reverse()) {
    const [last, older] = [kept.at(-1), marks[index - 1]]
    if (last && older && last.position - older.position <= (newest - last.position) * sparseness) continue
    kept.push(mark)
  }
  return kept.reverse()
}
