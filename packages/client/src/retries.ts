import { Failure } from './failure.ts'

/** In milliseconds. A longer Retry-After ends the retries. */
const longestPause = 30_000

/** Exponential backoff with jitter. */
export const pauseAfter = (failures: number) => 100 * 2 ** Math.min(failures, 10) * (0.5 + Math.random())

/** Retries temporary failures, up to a number of times. */
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
