import { type Ends, emptyHistory, type Storage } from '../../../../storage/index.ts'

const noEnds: Ends = { ...emptyHistory, floor: 1, known: '', asked: '', token: '' }

/** Both ends of the log as they were last read. */
export class LogEnds {
  readonly #reader: Storage['read']
  readonly #engine: Storage['engine']
  readonly #history: Storage['history']
  #ends = noEnds
  #lookedAt: number | undefined

  constructor(reader: Storage['read'], engine: Storage['engine'], history: Storage['history']) {
    this.#reader = reader
    this.#engine = engine
    this.#history = history
  }

  /** The last known position, without a read. */
  get position(): number {
    return this.#ends.position
  }

  async look(): Promise<Ends> {
    // Without other writers, and with no commit since, the last look is current.
    const now = this.#engine.generation()
    return now !== undefined && now === this.#lookedAt ? this.#ends : this.lookAnew(0)
  }

  /** Also the id of the record at the position asked for. */
  async lookAnew(asked: number): Promise<Ends> {
    const [now, era] = [this.#engine.generation(), this.#history.era]
    const found = await this.#history.look(this.#reader, asked)
    // Looks may overtake each other; within an era the log only grows.
    if (era === this.#history.era && found.position >= this.#ends.position) {
      this.#ends = found
      this.#lookedAt = now
    }
    return found
  }

  /** The database has gone back to an earlier state. */
  forget(): void {
    this.#ends = noEnds
    this.#lookedAt = undefined
  }
}
