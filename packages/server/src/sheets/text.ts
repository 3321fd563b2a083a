import { isUtf8 } from 'node:buffer'
import { problem, rule } from '@mainline/contract'

/** Encodings that spreadsheets write: UTF-8, UTF-16 with a byte order mark, or GBK on a Chinese Windows. */
export function decode(bytes: Uint8Array): string {
  const text = new TextDecoder(encodingOf(bytes), { fatal: true })
  try {
    const decoded = text.decode(bytes)
    if (decoded.includes('\0')) throw unreadable()
    return decoded
  } catch {
    throw unreadable()
  }
}

function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return isUtf8(bytes) ? 'utf-8' : 'gb18030'
}

const unreadable = () => problem('badFile', { why: rule('fileText') })
