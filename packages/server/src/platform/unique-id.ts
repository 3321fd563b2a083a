import { randomBytes } from 'node:crypto'

const alphabet = '0123456789abcdefghijklmnopqrstuv'
/** Tells processes apart; five random bytes collide once in a million million starts. */
const processPart = randomBytes(5)
let counter = randomBytes(3).readUIntBE(0, 3)

/** 20 characters of [0-9a-v]: the second, the process and a counter, so that ids sort by time of creation. */
export function uniqueId(now = Date.now()): string {
  counter = (counter + 1) & 0xffffff
  const bytes = Buffer.allocUnsafe(12)
  bytes.writeUInt32BE(Math.floor(now / 1000), 0)
  processPart.copy(bytes, 4)
  bytes.writeUIntBE(counter, 9, 3)

  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(held >> bits) & 31]
    }
    held &= (1 << bits) - 1
  }
  return text + alphabet[(held << (5 - bits)) & 31]
}
