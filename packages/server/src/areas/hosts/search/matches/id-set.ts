export const idsPerChunk = 4_096
export const wordsPerChunk = idsPerChunk / 32
/** The memory of a chunk, in bytes. */
const chunkBytes = idsPerChunk / 8 + 200

/** Consecutive ids as a bitmap. */
interface Chunk {
  /** The first id, divided by the chunk size. */
  readonly number: number
  readonly words: Uint32Array
  readonly size: number
}

/** An immutable sorted set of ids: a new version shares all unchanged chunks. 150 kB for a million consecutive ids. */
export class IdSet {
  readonly size: number
  readonly #chunks: readonly Chunk[]

  private constructor(chunks: readonly Chunk[]) {
    this.#chunks = chunks
    this.size = chunks.reduce((sum, chunk) => sum + chunk.size, 0)
  }

  static readonly empty = new IdSet([])

  /** From the bitmap of each chunk, in order; the bitmaps are not copied. */
  static ofBitmaps(bitmaps: readonly (readonly [chunk: number, words: Uint32Array])[]): IdSet {
    const chunks = bitmaps.map(([number, words]) => ({ number, words, size: onesIn(words) }))
    return new IdSet(chunks.filter(({ size }) => size > 0))
  }

  /** Size in bytes. */
  get weight(): number {
    return this.#chunks.length * chunkBytes
  }

  /** The set with these ids added, where true, or removed. */
  with(changes: Iterable<readonly [id: number, isIn: boolean]>): IdSet {
    const chunks = new Map(this.#chunks.map((chunk) => [chunk.number, chunk]))
    for (const [number, some] of Map.groupBy(changes, ([id]) => Math.floor(id / idsPerChunk))) {
      const chunk = changed(number, chunks.get(number), some)
      if (chunk) chunks.set(number, chunk)
      else chunks.delete(number)
    }
    return new IdSet([...chunks.values()].sort((a, b) => a.number - b.number))
  }

  /** The ids in order, without the first `start` of them. */
  slice(start: number, limit: number): number[] {
    const ids: number[] = []
    let skipped = 0
    for (const chunk of this.#chunks) {
      if (ids.length >= limit) break
      if (skipped + chunk.size <= start) {
        skipped += chunk.size
        continue
      }
      for (const id of idsIn(chunk)) {
        if (skipped++ < start) continue
        if (ids.push(id) >= limit) break
      }
    }
    return ids
  }

  /** The first ids greater than the given one. */
  after(last: number, limit: number): number[] {
    const ids: number[] = []
    for (const chunk of this.#chunks) {
      if (ids.length >= limit) break
      if ((chunk.number + 1) * idsPerChunk <= last) continue
      for (const id of idsIn(chunk)) {
        if (id > last && ids.push(id) >= limit) break
      }
    }
    return ids
  }
}

function changed(
  number: number,
  chunk: Chunk | undefined,
  changes: readonly (readonly [id: number, isIn: boolean])[],
): Chunk | undefined {
  const words = chunk ? chunk.words.slice() : new Uint32Array(wordsPerChunk)
  let size = chunk?.size ?? 0
  for (const [id, isIn] of changes) {
    const bit = id % idsPerChunk
    const [index, mask] = [bit >>> 5, 1 << (bit & 31)]
    const word = words[index] ?? 0
    const wasIn = (word & mask) !== 0
    if (wasIn === isIn) continue
    words[index] = word ^ mask
    size += isIn ? 1 : -1
  }
  return size === 0 ? undefined : { number, words, size }
}

function onesIn(words: Uint32Array): number {
  let ones = 0
  for (const word of words) {
    let rest = word - ((word >>> 1) & 0x55555555)
    rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333)
    ones += Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
  }
  return ones
}

function* idsIn({ number, words }: Chunk): Generator<number> {
  for (let index = 0; index < wordsPerChunk; index++) {
    let rest = words[index] ?? 0
    while (rest !== 0) {
      const bit = 31 - Math.clz32(rest & -rest)
      yield number * idsPerChunk + index * 32 + bit
      rest &= rest - 1
    }
  }
}
