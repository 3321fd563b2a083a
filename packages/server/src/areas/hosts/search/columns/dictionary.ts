import { randomInt } from 'node:crypto'
import { inTurns } from '../../../../common/concurrency/turns.ts'

/** What a host has in a column: a JSON value that is no object and no list. */
export type Value = string | number | boolean | null

/** How values are tested. */
export interface ValueTest {
  readonly passes: (value: Value) => boolean
  /** The same for texts that are not empty, as a global expression that finds no empty text: it is searched for in many values at a time. */
  readonly containing?: RegExp
  /** The same for texts that are not empty: those that pass. */
  readonly equal?: readonly string[]
}

const Type = { null: 0, boolean: 1, number: 2, text: 3 } as const
type TypeCode = (typeof Type)[keyof typeof Type]

/** The texts of values are kept in blocks: a million strings of their own would take five times the memory, and longer to be searched. */
const charsPerBlock = 32_768
/** Between the texts of a block. Requests with it are refused, so nothing that is searched for contains it. */
const separator = '\0'
/** Drawn at random, so that no client can choose values that collide. */
const seed = randomInt(2 ** 32 - 1)

/** A run of consecutive values, by their indexes; the block of their texts, if they are in one. */
interface Run {
  readonly from: number
  readonly to: number
  readonly block?: string
  readonly isOfTexts?: boolean
}

/**
 * The distinct values of a column, and their codes: 20 bytes for each besides its characters. Only ever grows, so that all versions of a column share it: a
 * version knows no code that was added later. 0 is the code of hosts that do not exist; the value with index 0 has code 1.
 */
export class Dictionary {
  readonly #blocks: string[] = []
  /** The index of the first value of each block. */
  readonly #firsts: number[] = []
  /** For each block whether all of its values are texts, none of them empty. */
  readonly #ofTexts: boolean[] = []
  #blockBytes = 0
  /** The texts after those of the last block. */
  #pending: string[] = []
  #pendingChars = 0
  // By index of the value.
  #types = new Uint8Array(16)
  #hashes = new Uint32Array(16)
  #blockOf = new Uint16Array(16)
  /** Where its text starts in its block. */
  #starts = new Uint32Array(16)
  /** Codes by hash; a power of two of them. */
  #slots = new Uint32Array(32)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Size in bytes. */
  get weight(): number {
    const arrays = [this.#types, this.#hashes, this.#blockOf, this.#starts, this.#slots]
    const pending = 2 * this.#pendingChars + 40 * this.#pending.length
    return this.#blockBytes + pending + arrays.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /** The code of a value, which is added if it is new. */
  codeOf(value: Value): number {
    const [type, text] = writtenAs(value)
    const hash = hashOf(text, type)
    const known = this.#slots[this.#slotOf(hash, type, text)] as number
    if (known > 0) return known
    if (4 * (this.#size + 1) > 3 * this.#slots.length) this.#widen()
    return this.#add(hash, type, text)
  }

  /** The code of a value; 0 if it is not known. */
  find(value: Value): number {
    const [type, text] = writtenAs(value)
    return this.#slots[this.#slotOf(hashOf(text, type), type, text)] as number
  }

  valueOf(code: number): Value {
    const text = this.#textAt(code - 1)
    switch (this.#types[code - 1]) {
      case Type.null:
        return null
      case Type.boolean:
        return text === 'true'
      case Type.number:
        return Number(text)
      default:
        return text
    }
  }

  /** 1 for each code whose value passes. */
  async passing({ passes, containing, equal }: ValueTest): Promise<Uint8Array> {
    const passed = new Uint8Array(this.#size + 1)
    const testEach = ({ from, to }: Run, isTested?: (index: number) => boolean) => {
      for (let index = from; index < to; index++) {
        if (!isTested || isTested(index)) passed[index + 1] = Number(passes(this.valueOf(index + 1)))
      }
    }
    const empty = this.find('')
    const isNoText = (index: number) => this.#types[index] !== Type.text || index + 1 === empty
    await inTurns(this.#runs(), (run) => {
      if (!equal && !(containing && run.block !== undefined)) return testEach(run)
      if (!run.isOfTexts) testEach(run, isNoText)
      if (!containing || run.block === undefined) return
      this.#search(containing, run, run.block, (index) => {
        if (this.#types[index] === Type.text) passed[index + 1] = 1
      })
    })
    for (const text of equal ?? []) {
      const code = text === '' ? 0 : this.find(text)
      if (code > 0 && code < passed.length) passed[code] = 1
    }
    return passed
  }

  /** All values that there are now: more may be added while they are tested. */
  #runs(): Run[] {
    const pendingFrom = this.#size - this.#pending.length
    const blocks = this.#firsts.map((from, number): Run => {
      const to = this.#firsts[number + 1] ?? pendingFrom
      return { from, to, block: this.#blocks[number] as string, isOfTexts: this.#ofTexts[number] === true }
    })
    return [...blocks, { from: pendingFrom, to: this.#size }]
  }

  /** Calls back with the index of each value whose text contains a match. */
  #search(containing: RegExp, { from, to }: Run, block: string, found: (index: number) => void): void {
    containing.lastIndex = 0
    for (let index = from; index < to && containing.test(block); index++) {
      // No match is empty, so the last of its characters is in the same text as the first.
      index = this.#lastStart(index, to, containing.lastIndex - 1)
      found(index)
      containing.lastIndex = index + 1 < to ? (this.#starts[index + 1] as number) : block.length
    }
  }

  /** The last value from `low` and before `high` that starts at this character or before it; it is probably near the first. */
  #lastStart(low: number, high: number, place: number): number {
    let [first, end] = [low, low + 1]
    for (let step = 1; end < high && (this.#starts[end] as number) <= place; step *= 2) {
      first = end
      end = Math.min(high, end + step)
    }
    while (end - first > 1) {
      const middle = (first + end) >>> 1
      if ((this.#starts[middle] as number) <= place) first = middle
      else end = middle
    }
    return first
  }

  /** The slot of a value, or the empty one where it belongs. */
  #slotOf(hash: number, type: TypeCode, text: string): number {
    const mask = this.#slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const index = (this.#slots[slot] as number) - 1
      if (index < 0) return slot
      if (this.#hashes[index] === hash && this.#types[index] === type && this.#textAt(index) === text) return slot
    }
  }

  #add(hash: number, type: TypeCode, text: string): number {
    const index = this.#size
    if (index === this.#types.length) {
      this.#types = longer(this.#types, new Uint8Array(2 * index))
      this.#hashes = longer(this.#hashes, new Uint32Array(2 * index))
      this.#blockOf = longer(this.#blockOf, new Uint16Array(2 * index))
      this.#starts = longer(this.#starts, new Uint32Array(2 * index))
    }
    this.#types[index] = type
    this.#hashes[index] = hash
    this.#blockOf[index] = this.#blocks.length
    this.#starts[index] = this.#pendingChars
    this.#slots[this.#slotOf(hash, type, text)] = index + 1
    this.#size++
    this.#pending.push(text)
    this.#pendingChars += text.length + separator.length
    if (this.#pendingChars >= charsPerBlock) this.#endBlock()
    return index + 1
  }

  #endBlock(): void {
    const block = this.#pending.join(separator) + separator
    const from = this.#size - this.#pending.length
    const areTexts = this.#types.subarray(from, this.#size).every((type) => type === Type.text)
    this.#firsts.push(from)
    this.#ofTexts.push(areTexts && !this.#pending.includes(''))
    this.#blocks.push(block)
    this.#blockBytes += (/[^\0-\xff]/.test(block) ? 2 : 1) * block.length
    this.#pending = []
    this.#pendingChars = 0
  }

  #textAt(index: number): string {
    const pendingFrom = this.#size - this.#pending.length
    if (index >= pendingFrom) return this.#pending[index - pendingFrom] as string
    const number = this.#blockOf[index] as number
    const block = this.#blocks[number] as string
    const isLast = index + 1 === (this.#firsts[number + 1] ?? pendingFrom)
    const end = isLast ? block.length : (this.#starts[index + 1] as number)
    return block.slice(this.#starts[index], end - separator.length)
  }

  #widen(): void {
    const slots = new Uint32Array(2 * this.#slots.length)
    const mask = slots.length - 1
    for (let index = 0; index < this.#size; index++) {
      let slot = (this.#hashes[index] as number) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = index + 1
    }
    this.#slots = slots
  }
}

const longer = <T extends Uint8Array | Uint16Array | Uint32Array>(values: T, into: T): T => {
  into.set(values)
  return into
}

function writtenAs(value: Value): [type: TypeCode, text: string] {
  switch (typeof value) {
    case 'string':
      return [Type.text, value]
    case 'number':
      return [Type.number, String(value)]
    case 'boolean':
      return [Type.boolean, String(value)]
    default:
      return [Type.null, '']
  }
}

/** FNV-1a with a final mix. */
function hashOf(text: string, type: TypeCode): number {
  let hash = seed ^ type
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}
