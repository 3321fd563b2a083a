import { idsPerChunk, wordsPerChunk } from '../matches/id-set.ts'

/** What a host has in a column: a JSON value that is no object and no list. */
export type Value = string | number | boolean | null

type Codes = Uint8Array | Uint16Array | Uint32Array

/** Of a value besides its characters, with its entries in the dictionary. */
const bytesPerValue = 100

/**
 * The distinct values of a column, and their codes. Only ever grows, so that all versions of a column share it: a version knows no code that was
 * added later.
 */
class Dictionary {
  readonly values: Value[] = []
  readonly #codes = new Map<Value, number>()
  bytes = 0

  /** 0 is the code of hosts that do not exist. */
  codeOf(value: Value): number {
    const known = this.#codes.get(value)
    if (known !== undefined) return known
    const code = this.values.push(value)
    this.#codes.set(value, code)
    this.bytes += bytesPerValue + (typeof value === 'string' ? 2 * value.length : 0)
    return code
  }
}

/** The value of each host, as the code of a distinct value: one byte per host up to 255 values, two up to 65,535. Immutable. */
export class Column {
  readonly #chunks: ReadonlyMap<number, Codes>
  readonly #dictionary: Dictionary
  readonly size: number

  private constructor(chunks: ReadonlyMap<number, Codes>, dictionary: Dictionary, size: number) {
    this.#chunks = chunks
    this.#dictionary = dictionary
    this.size = size
  }

  static empty = (): Column => new Column(new Map(), new Dictionary(), 0)

  /** Size in bytes. */
  get weight(): number {
    let bytes = this.#dictionary.bytes
    for (const codes of this.#chunks.values()) bytes += codes.byteLength + bytesPerValue
    return bytes
  }

  /** Whether most values of the dictionary are no longer used by any host. */
  get isWorn(): boolean {
    return this.#dictionary.values.length > 2 * this.size + 1_000
  }

  /** The numbers of all chunks, in order. */
  get chunks(): number[] {
    return [...this.#chunks.keys()].sort((a, b) => a - b)
  }

  /** With these values of hosts; undefined removes a host. */
  with(changes: Iterable<readonly [id: number, value: Value | undefined]>): Column {
    const chunks = new Map(this.#chunks)
    let { size } = this
    for (const [number, some] of Map.groupBy(changes, ([id]) => Math.floor(id / idsPerChunk))) {
      const before = chunks.get(number)
      const coded = some.map(
        ([id, value]) => [id % idsPerChunk, value === undefined ? 0 : this.#dictionary.codeOf(value)] as const,
      )
      if (before && coded.every(([place, code]) => before[place] === code)) continue
      const codes = copyOf(
        before,
        coded.reduce((most, [, code]) => Math.max(most, code), 0),
      )
      for (const [place, code] of coded) {
        size += Number(code > 0) - Number((codes[place] ?? 0) > 0)
        codes[place] = code
      }
      chunks.set(number, codes)
    }
    return new Column(chunks, this.#dictionary, size)
  }

  /** The distinct values, also some that no host has any more. */
  get values(): readonly Value[] {
    return this.#dictionary.values
  }

  /** A bitmap of each chunk: the hosts whose value passes. Each distinct value is tested once. */
  passing(test: (value: Value) => boolean): (chunk: number) => Uint32Array {
    const passes = Uint8Array.from([0, ...this.#dictionary.values.map((value) => Number(test(value)))])
    return (chunk) => {
      const words = new Uint32Array(wordsPerChunk)
      const codes = this.#chunks.get(chunk)
      if (!codes) return words
      for (let word = 0, place = 0; word < wordsPerChunk; word++) {
        let bits = 0
        for (let bit = 0; bit < 32; bit++, place++) bits |= (passes[codes[place] as number] as number) << bit
        words[word] = bits
      }
      return words
    }
  }
}

/** The codes of a chunk, in an array that takes the greatest of the new codes, too. */
function copyOf(before: Codes | undefined, greatest: number): Codes {
  const needed = greatest < 2 ** 8 ? 1 : greatest < 2 ** 16 ? 2 : 4
  const width = Math.max(needed, before?.BYTES_PER_ELEMENT ?? 1)
  if (before?.BYTES_PER_ELEMENT === width) return before.slice()
  const codes =
    width === 1
      ? new Uint8Array(idsPerChunk)
      : width === 2
        ? new Uint16Array(idsPerChunk)
        : new Uint32Array(idsPerChunk)
  if (before) codes.set(before)
  return codes
}
