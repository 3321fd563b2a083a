/**
 * What a process remembers between requests. Nothing in it is believed without a stamp read from the database in this
 * request, so any number of processes can remember the same thing.
 */
export class Memo {
  readonly #kept = new Map<string, { stamp: string | number; value: unknown }>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  get<T>(key: string, stamp: string | number): T | undefined {
    const found = this.#kept.get(key)
    if (found?.stamp !== stamp) return undefined
    // Moved to the end: what is used stays.
    this.#kept.delete(key)
    this.#kept.set(key, found)
    return found.value as T
  }

  set(key: string, stamp: string | number, value: unknown): void {
    this.#kept.delete(key)
    this.#kept.set(key, { stamp, value })
    if (this.#kept.size > this.#most) this.#kept.delete(this.#kept.keys().next().value as string)
  }
}
