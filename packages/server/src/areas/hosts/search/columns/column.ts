import { inTurns } from '../../../../common/concurrency/turns.ts'
import { idsPerChunk, wordsPerChunk } from '../matches/id-set.ts'
import { Dictionary, type Value, type ValueTest } from './dictionary.ts'

type Codes = Uint8Array | Uint16Array | Uint32Array

/** The bitmap of a chunk. */
export type Bits = (chunk: number) => Uint32Array

/** Of a chunk, besides its codes. */
const bytesPerChunk = 100
const codesPerTurn = 1_000

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
    let bytes = this.#dictionary.weight
    for (const codes of this.#chunks.values()) bytes += codes.byteLength + bytesPerChunk
    return bytes
  }

  /** Whether most values of the dictionary are no longer used by any host. */
  get isWorn(): boolean {
    return this.#dictionary.size > 2 * this.size + 1_000
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

  /** All hosts. */
  everyone(): Bits {
    const codes = new Uint8Array(this.#dictionary.size + 1).fill(1)
    codes[0] = 0
    return this.#withCodes(codes)
  }

  /** The hosts whose value passes. Each distinct value is tested once, also those that no host has any more. */
  async passing(test: ValueTest): Promise<Bits> {
    return this.#withCodes(await this.#dictionary.passing(test))
  }

  /** The hosts whose value is among those that `choose` returns of the distinct values of the candidates. */
  async chosen(candidates: Bits, choose: (values: readonly Value[]) => Promise<readonly Value[]>): Promise<Bits> {
    const seen = new Uint8Array(this.#dictionary.size + 1)
    await inTurns(this.#chunks, ([chunk, codes]) => {
      const bits = candidates(chunk)
      for (let place = 0; place < idsPerChunk; place++) {
        if ((((bits[place >>> 5] as number) >>> (place & 31)) & 1) === 1) seen[codes[place] as number] = 1
      }
    })
    const values: Value[] = []
    const starts = Array.from({ length: Math.ceil(seen.length / codesPerTurn) }, (_, turn) => turn * codesPerTurn)
    await inTurns(starts, (start) => {
      for (let code = Math.max(1, start); code < Math.min(start + codesPerTurn, seen.length); code++) {
        if (seen[code] === 1) values.push(this.#dictionary.valueOf(code))
      }
    })
    const passed = new Uint8Array(seen.length)
    for (const value of await choose(values)) passed[this.#dictionary.find(value)] = 1
    return this.#withCodes(passed)
  }

  /** The hosts whose code has a 1. */
  #withCodes(passed: Uint8Array): Bits {
    return (chunk) => {
      const words = new Uint32Array(wordsPerChunk)
      const codes = this.#chunks.get(chunk)
      if (!codes) return words
      for (let word = 0, place = 0; word < wordsPerChunk; word++) {
        let bits = 0
        for (let bit = 0; bit < 32; bit++, place++) bits |= (passed[codes[place] as number] as number) << bit
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
