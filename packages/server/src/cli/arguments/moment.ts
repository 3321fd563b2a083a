import { misused } from './usage.ts'

const durationUnitsMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Parses a duration before now, a date or a time, in the time zone of the terminal unless another is given. */
export function momentOf(flag: string, text: string, now: number): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  if (count !== undefined) return now - Number(count) * (durationUnitsMs[unit] ?? 0)
  try {
    if (/[Zz]|[+-]\d{2}:?\d{2}$/.test(text.slice(10))) return Temporal.Instant.from(text).epochMilliseconds
    return Temporal.PlainDateTime.from(text).toZonedDateTime(Temporal.Now.timeZoneId()).epochMilliseconds
  } catch {
    throw misused(
      `--${flag} is '${text}': it must be a duration or time such as 45s, 30m, 1h, 7d, 2026-01-31 or 2026-01-31T08:00:00.`,
    )
  }
}

/** `2026-01-31 08:00:00` in the time zone of the terminal. */
export const localTime = (moment: number): string =>
  Temporal.Instant.fromEpochMilliseconds(moment)
    .toZonedDateTimeISO(Temporal.Now.timeZoneId())
    .toPlainDateTime()
    .toString({ smallestUnit: 'second' })
    .replace('T', ' ')
