import { preferences } from './preferences.ts'

/** The time zone in which times are shown and typed. */
export const zoneInUse = (): string => preferences().timeZone || Intl.DateTimeFormat().resolvedOptions().timeZone

/** The instant of a local time such as 2026-01-31T08:00, by default in the time zone of the user. */
export function instantOf(local: string, zone = zoneInUse()): string {
  const asUtc = Date.parse(`${local}Z`)
  // The offset at the moment itself may differ from that at the same time in UTC: the second guess is exact.
  const guess = asUtc - offsetAt(asUtc, zone)
  return new Date(asUtc - offsetAt(guess, zone)).toISOString()
}

/** The local time of a moment, to the second, as an input for local times has it. */
export const localTimeOf = (moment: number, timeZone = zoneInUse()): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
    .format(moment)
    .replace(' ', 'T')

/** The offset of the time zone, in milliseconds. */
function offsetAt(moment: number, zone: string): number {
  const second = Math.floor(moment / 1_000) * 1_000
  return Date.parse(`${localTimeOf(second, zone)}Z`) - second
}
