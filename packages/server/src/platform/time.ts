/** Times are milliseconds since 1970 inside and ISO 8601 with an offset outside, in the configured zone. */
export interface Zone {
  readonly name: string
  /** `2026-01-31T08:00:00.000+08:00` */
  write(milliseconds: number): string
  /**
   * What a time in a filter covers: `2026-01-31 08:00:00` is that whole second in the configured zone,
   * a time with an offset is what it says. Undefined for anything else.
   */
  read(text: string): Span | undefined
}

export interface Span {
  readonly from: number
  /** Wholly included. */
  readonly to: number
}

const plain = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(\.\d{1,3})?$/
const withOffset = /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(\.\d{1,3})?(Z|[+-]\d{2}:\d{2})$/

export function zoneOf(name: string): Zone {
  // Refuses an unknown zone at once.
  Temporal.Now.zonedDateTimeISO(name)
  const utc = name === 'UTC'
  return {
    name,
    write(milliseconds) {
      if (utc) return `${new Date(milliseconds).toISOString().slice(0, -1)}+00:00`
      return Temporal.Instant.fromEpochMilliseconds(milliseconds)
        .toZonedDateTimeISO(name)
        .toString({ timeZoneName: 'never', fractionalSecondDigits: 3 })
    },
    read(text) {
      try {
        const [, day, time, fraction] = plain.exec(text) ?? []
        if (day && time) {
          const from = Temporal.PlainDateTime.from(`${day}T${time}${fraction ?? ''}`).toZonedDateTime(
            name,
          ).epochMilliseconds
          return { from, to: fraction ? from : from + 999 }
        }
        const [whole, digits] = withOffset.exec(text) ?? []
        if (!whole) return undefined
        const from = Temporal.Instant.from(whole).epochMilliseconds
        return { from, to: digits ? from : from + 999 }
      } catch {
        return undefined
      }
    },
  }
}
