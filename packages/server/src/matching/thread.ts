// Runs in a worker thread: matches patterns, which may take long, outside of the event loop.
import { parentPort } from 'node:worker_threads'
import { RE2JS } from 're2js'

export interface MatchQuestion {
  readonly id: number
  readonly pattern: string
  readonly texts: readonly string[]
}

export interface MatchReply {
  readonly id: number
  /** One per text: 1 if the pattern was found. */
  readonly found: Uint8Array
  /** CPU time. */
  readonly tookMs: number
}

/** Size of the cache of compiled patterns: compiling a large one takes longer than matching most texts. */
const maxCompiled = 20
const compiled = new Map<string, RE2JS>()

function patternOf(source: string): RE2JS {
  const known = compiled.get(source)
  if (known) return known
  const made = RE2JS.compile(source)
  compiled.set(source, made)
  const [oldest] = compiled.keys()
  if (compiled.size > maxCompiled && oldest !== undefined) compiled.delete(oldest)
  return made
}

/** CPU time of this thread only, which other load on the machine does not affect. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

parentPort?.on('message', ({ id, pattern, texts }: MatchQuestion) => {
  const started = processorMs()
  const matcher = patternOf(pattern)
  const found = Uint8Array.from(texts, (text) => Number(matcher.matcher(text).find()))
  parentPort?.postMessage({ id, found, tookMs: processorMs() - started } satisfies MatchReply, [found.buffer])
})
