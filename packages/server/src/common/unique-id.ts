import { createHash, randomBytes, randomFillSync } from 'node:crypto'

const alphabet = '0123456789abcdefghijklmnopqrstuv'
/** Identifies the process; five random bytes collide once in 10^12 starts. */
const processPart = randomBytes(5)
let counter = randomBytes(3).readUIntBE(0, 3)

const processBits = BigInt(`0x${processPart.toString('hex')}`)
let prefix = { second: -1, text: '' }

/** 20 characters of [0-9a-v]: the second, the process and a counter, so that ids sort by time of creation. */
export function uniqueId(now = Date.now()): string {
  counter = (counter + 1) & 0xffffff
  const second = Math.floor(now / 1000)
  // 72 bits that are constant for a second: 14 characters, and two bits of the next one.
  if (prefix.second !== second) {
    const bits = (BigInt(second) << 40n) | processBits
    prefix = { second, text: base32(bits >> 2n, 14) }
  }
  const rest = (Number(processBits & 3n) << 24) | counter
  let text = prefix.text
  for (let shift = 21; shift >= 1; shift -= 5) text += alphabet[(rest >> shift) & 31]
  return text + alphabet[(rest << 4) & 31]
}

/**
 * A unique random number: no other content is stored under it in any history of the database, also not after a restore or a failover to a
 * lagging standby. 52 bits, so that it is exact in JSON and in a double.
 */
export function newStamp(): number {
  if (drawn === stamps.length) {
    randomFillSync(stamps)
    drawn = 0
  }
  return Number((stamps[drawn++] ?? 0n) >> 12n)
}

/** Drawn ahead: each call of the generator takes 5 µs, for one stamp or for many. */
const stamps = new BigUint64Array(128)
let drawn = stamps.length

/** An id derived from a name, equal everywhere, for built-in things that are never created. */
export function namedId(name: string): string {
  return base32(BigInt(`0x${createHash('sha256').update(name).digest('hex').slice(0, 25)}`), 20)
}

function base32(bits: bigint, length: number): string {
  let text = ''
  for (let rest = bits, index = 0; index < length; index++, rest >>= 5n) text = alphabet[Number(rest & 31n)] + text
  return text
}
