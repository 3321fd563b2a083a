/** A receiver that is away is probed after these, the last again and again, in milliseconds. */
const probes = [250, 1_000, 2_000, 5_000, 10_000, 20_000, 40_000, 60_000]
const longestProbe = 60_000
/** However long a receiver asks us to stay away, in milliseconds. */
const longestWish = 3_600_000

/** A fifth more or less, so that receivers that failed together are not all tried again together. */
const jittered = (milliseconds: number) => milliseconds * (0.8 + Math.random() * 0.4)

/** How long to wait before probing again, after so many probes in vain. */
export const probePause = (failed: number, wished: number | undefined): number =>
  Math.min(longestProbe, Math.max(jittered(probes[Math.min(failed, probes.length) - 1] ?? longestProbe), wished ?? 0))

/** How long to leave a receiver alone that says it gets too much: it speaks of itself, not of the event. */
export const quietPause = (status: number | null, wished: number | undefined): number =>
  status === 429 ? Math.min(longestProbe, wished ?? 0) : 0

/** How long to wait before a rejected event is tried again; undefined when it has had its last try. */
export function retryPause(schedule: readonly number[], tries: number, wished: number | undefined): number | undefined {
  const pause = schedule[tries - 1]
  return pause === undefined ? undefined : Math.max(jittered(pause), Math.min(wished ?? 0, longestWish))
}

/** No rejected event waits longer for its next try. */
export const longestPause = (schedule: readonly number[]): number =>
  Math.max(longestWish, ...schedule.map((each) => each * 1.2))

/** `Retry-After`, in seconds or as a date, as milliseconds from now. */
export function wishOf(header: string | string[] | undefined, now: number): number | undefined {
  if (typeof header !== 'string') return undefined
  const text = header.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
