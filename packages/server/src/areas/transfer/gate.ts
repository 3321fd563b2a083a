import { problem, rule } from '@mainline/contract'

/** Lets so many in at a time. */
export function createGate(most: number) {
  let inside = 0
  return async function* <T>(work: () => AsyncGenerator<T>): AsyncGenerator<T> {
    if (inside >= most) throw problem('tooManyRequests', { rule: rule('importsBusy', { most }) })
    inside++
    try {
      yield* work()
    } finally {
      inside--
    }
  }
}
