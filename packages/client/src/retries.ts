import { Failure } from './failure.ts'

/** In milliseconds. A server that wants to be left alone for longer is not waited for. */
const longestPause = 30_000

/** Growing, and never the same for two callers that failed together. */
export const pauseAfter = (failures: number) => 100 * 2 ** Math.min(failures, 10) * (0.5 + Math.random())

/** Tries again what failed for a passing reason, so many times. */
export async function retrying<T>(attempt: () => Promise<T>, retries: number, signal?: AbortSignal): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      if (failures >= retries || !(error instanceof Failure) || !error.passing) throw error
      const pause = error.retryAfter === undefined ? pauseAfter(failures) : error.retryAfter * 1_000
      if (pause > longestPause) throw error
      await wait(pause, signal)
    }
  }
}

export const wait = (milliseconds: number, signal?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })
