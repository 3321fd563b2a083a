import { AsyncLocalStorage } from 'node:async_hooks'

/** The request that the current work belongs to. */
interface RequestWork {
  readonly caller: string
  /** Aborted when the client has closed the connection. */
  readonly gone: () => AbortSignal | undefined
  /** CPU time spent on matching patterns so far. */
  matchingMs: number
  /** A lower budget than usual. */
  readonly maxMatchingMs?: number
  /** CPU time spent on patterns of attributes, which are checked on the event loop. */
  checkingMs: number
  /** The cost of the patterns compiled so far. */
  compilingCost: number
  /** Background work started by the request, such as the delivery of its events, no longer counts as its work. */
  isAnswered: boolean
}

const current = new AsyncLocalStorage<RequestWork>()

/** Runs the work of a request with its caller as async context, so that shared resources can be divided among callers. */
export async function asCaller<T>(
  { account, user }: { account: string; user: string },
  work: () => Promise<T>,
  gone: RequestWork['gone'] = () => undefined,
): Promise<T> {
  const request = newWork(`${account}\n${user}`, gone)
  const answer = await current.run(request, work)
  // Only after success: the remaining work of a failed request, such as one whose client disconnected, still belongs to it.
  request.isAnswered = true
  return answer
}

const newWork = (caller: string, gone: RequestWork['gone']): RequestWork => ({
  caller,
  gone,
  matchingMs: 0,
  checkingMs: 0,
  compilingCost: 0,
  isAnswered: false,
})

/** Starts work that serves many requests, outside of the request that happens to start it. */
export const inBackground = <T>(work: () => T): T => current.exit(work)

/** Work that may match patterns for only so long, since others wait for it to end: above all what holds locks. */
export const withinMatchingLimit = <T>(maxMatchingMs: number, work: () => Promise<T>): Promise<T> =>
  current.run({ ...(currentRequest() ?? newWork('', () => undefined)), matchingMs: 0, maxMatchingMs }, work)

export function currentRequest(): RequestWork | undefined {
  const request = current.getStore()
  return request?.isAnswered ? undefined : request
}

/** The caller of the current request; `''` in background work. */
export const currentCaller = (): string => currentRequest()?.caller ?? ''
