import type { IdKind, IdsAhead } from '../ids.ts'

const blockSize = 64

/** Kinds of which many are created. */
const blockKinds: readonly IdKind[] = ['set', 'module', 'inst', 'host']

type Draw = (count: number) => Promise<number[]>

/**
 * Ids drawn ahead, so that a change rarely takes a round trip for them. Those that are left when the process ends are never used. A crash
 * of the database does not hand out an id twice: the commit that uses one flushes the write-ahead log beyond the record that drew it.
 */
export class IdBlocks implements IdsAhead {
  readonly #blocks = new Map<IdKind, number[]>()
  /** Raised when blocks are dropped, for those that are being drawn. */
  #era = 0

  /** From the block, or from a new one that the change draws. */
  async draw(kind: IdKind, count: number, drawn: Draw): Promise<number[]> {
    const block = this.#blocks.get(kind) ?? []
    if (block.length >= count) return block.splice(0, count)
    if (count >= blockSize || !blockKinds.includes(kind)) {
      // Ids are used in the order in which this process has drawn them.
      this.#blocks.delete(kind)
      return drawn(count)
    }
    const era = this.#era
    const ids = await drawn(blockSize)
    const taken = ids.splice(0, count)
    if (era === this.#era)
      this.#blocks.set(
        kind,
        [...(this.#blocks.get(kind) ?? []), ...ids].toSorted((a, b) => a - b),
      )
    return taken
  }

  drop(): void {
    this.#era++
    this.#blocks.clear()
  }
}
