import type { DataOf, Endpoint } from '@mainline/contract'
import { type Given, send, unwrap } from './call.ts'

/** What has come: where to resume, and an event unless it was only a sign of life. */
export interface Message<Data> {
  readonly id: string
  readonly data: Data | undefined
}

/**
 * Server-sent events. The browser's own EventSource cannot say who is asking, so they are read here; whoever listens
 * resumes by the id of the last message.
 */
export async function* listen<E extends Endpoint>(
  endpoint: E,
  given: Given<E>,
  lastId: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Message<DataOf<E>>, void> {
  const headers = { accept: 'text/event-stream', ...(lastId && { 'last-event-id': lastId }) }
  const answer = await send(endpoint, given, headers, signal)
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream')
  if (!isStream || !answer.body) return void (await unwrap(answer))
  let text = ''
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const blocks = (text + value).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) yield readBlock(block)
  }
}

export function readBlock<Data>(block: string): Message<Data> {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()] as const
    }),
  )
  const data = fields.get('data')
  return { id: fields.get('id') ?? '', data: data === undefined ? undefined : JSON.parse(data) }
}
