import type { Writable } from 'node:stream'
import { errorCodeOf } from '../../common/error-code.ts'

/** The reading process has closed the pipe: `mainline get hosts | head`. */
export class OutputClosed extends Error {}

/** Rows are collected up to this size, because each write is a system call. */
const flushLength = 16_384

/** Writes text with backpressure. */
export interface Output {
  write(text: string): Promise<void>
  flush(): Promise<void>
  /** `isTTY`: whether colours can be shown. */
  readonly stream: Writable & { readonly isTTY?: boolean }
}

export function outputTo(stream: Output['stream'] = process.stdout): Output {
  let waiting = ''
  // Without a listener this would be an uncaught error; `write` reports it.
  stream.on('error', () => {})
  const flush = async () => {
    const text = waiting
    waiting = ''
    if (text !== '') await written(stream, text)
  }
  return {
    stream,
    flush,
    async write(text) {
      waiting += text
      if (waiting.length >= flushLength) await flush()
    },
  }
}

const written = (stream: Writable, text: string) =>
  new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => {
      if (!error) resolve()
      else reject(errorCodeOf(error) === 'EPIPE' ? new OutputClosed() : error)
    })
  })
