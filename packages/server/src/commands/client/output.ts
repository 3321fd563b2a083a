import type { Writable } from 'node:stream'

/** Nobody reads any more: `mainline get hosts | head`. */
export class OutputClosed extends Error {}

/** Rows are small and writes are not free. */
const enough = 16_384

/** Writes text as fast as it is read, and remembers little of it. */
export interface Output {
  write(text: string): Promise<void>
  flush(): Promise<void>
  /** Whether it is a terminal that shows colours. */
  readonly stream: Writable & { readonly isTTY?: boolean }
}

export function outputTo(stream: Output['stream'] = process.stdout): Output {
  let waiting = ''
  // Without a listener it would be an uncaught error; whoever writes is told.
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
      if (waiting.length >= enough) await flush()
    },
  }
}

const written = (stream: Writable, text: string) =>
  new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => {
      if (!error) resolve()
      else reject((error as NodeJS.ErrnoException).code === 'EPIPE' ? new OutputClosed() : error)
    })
  })
