import type { Endpoint } from '@mainline/contract'
import { failureOf, unreachable } from './failure.ts'

/** Parses each line of an answer. An answer that breaks off is thrown as a Failure: its last line is missing. */
export async function* linesOf(
  { name, alsoStreams }: Endpoint,
  url: string,
  request: RequestInit,
): AsyncGenerator<unknown, void> {
  const answer = await fetch(url, request).catch((error) => {
    throw request.signal?.aborted ? error : unreachable(name, error)
  })
  const type = answer.headers.get('content-type') ?? ''
  if (!answer.ok || !alsoStreams || !type.startsWith(alsoStreams)) {
    throw failureOf(name, answer, await answer.json().catch(() => undefined))
  }
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const part of answer.body ?? []) {
      const lines = (rest + decoder.decode(part, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield JSON.parse(line)
    }
  } catch (error) {
    throw request.signal?.aborted ? error : unreachable(name, error)
  }
}
