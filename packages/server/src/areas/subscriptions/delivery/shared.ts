import type { Stretch, Tail } from '../../feed/index.ts'

/** Stretches that are kept. */
const kept = 8

/**
 * Reads the log for many subscriptions: those that stand at the same place and want the same share what was read, and
 * with it what was made of it.
 */
export function sharing(tail: Tail): Tail['readOf'] {
  const stretches = new Map<string, Promise<Stretch>>()
  return (account, objects, after, limit) => {
    const key = JSON.stringify([account, objects, after, limit])
    const known = stretches.get(key)
    if (known) return known
    const stretch = tail.readOf(account, objects, after, limit)
    stretches.set(key, stretch)
    stretch.catch(() => stretches.delete(key))
    if (stretches.size > kept) stretches.delete(stretches.keys().next().value as string)
    return stretch
  }
}
