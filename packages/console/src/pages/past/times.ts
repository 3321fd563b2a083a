const unitsMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** The time of a moment in an address; undefined for a position of the log. */
export function timeOf(moment: string, now = Date.now()): number | undefined {
  const [, count, unit] = /^-(\d+)([smhdw])$/.exec(moment) ?? []
  // Browsers read a date from nearly any text with a number.
  const written = /^\d{4}-/.test(moment) ? Date.parse(moment) : Number.NaN
  const time = unit === undefined ? written : now - Number(count) * (unitsMs[unit] ?? 0)
  return Number.isNaN(time) ? undefined : time
}
