/** Times are milliseconds since 1970 internally, and ISO 8601 with an offset in the configured zone in the API. */
export interface Zone {
  readonly name: string
  /** `2026-01-31T08:00:00.000+08:00` */
  write(milliseconds: number): string
  /** The range that a time covers: without a fraction, the whole second. Undefined if it is not a time. */
  read(text: string): Span | undefined
  /** A time as attributes of type `time` store it, in this zone and to the second: `2026-01-31 08:00:00`. */
  toLocal(text: string): string | undefined
}

export interface Span {
  readonly from: number
  /** Inclusive. */
  readonly to: number
}

const dayForm = /^\d{4}-\d{2}-\d{2}$/
/** Date, time, fraction, offset. Clients send fractions of up to nine digits, and offsets with or without a colon. */
const timeForm = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:[0-5]\d)(\.\d{1,9})?(Z|[+-]\d{2}(?::?\d{2})?)?$/

/** A valid date such as `2026-01-31`, as attributes of type `date` store it; otherwise undefined. */
export const readDay = (text: string): string | undefined =>
  dayForm.test(text) ? validOnly(() => Temporal.PlainDate.from(text).toString()) : undefined

export function zoneOf(name: string): Zone {
  // Throws for an unknown zone.
  Temporal.Now.zonedDateTimeISO(name)
  const utc = name === 'UTC'
  const read = (text: string): Span | undefined => {
    const [, day, time, fraction = '', offset] = timeForm.exec(text) ?? []
    if (!day || !time) return undefined
    return validOnly(() => {
      const written = `${day}T${time}${fraction}`
      const from = offset
        ? Temporal.Instant.from(written + offset).epochMilliseconds
        : Temporal.PlainDateTime.from(written).toZonedDateTime(name).epochMilliseconds
      return { from, to: fraction ? from : from + 999 }
    })
  }
  return {
    name,
    write(milliseconds) {
      if (utc) return `${new Date(milliseconds).toISOString().slice(0, -1)}+00:00`
      return Temporal.Instant.fromEpochMilliseconds(milliseconds)
        .toZonedDateTimeISO(name)
        .toString({ timeZoneName: 'never', fractionalSecondDigits: 3 })
    },
    read,
    toLocal(text) {
      const span = read(text)
      if (!span) return undefined
      const local = Temporal.Instant.fromEpochMilliseconds(span.from).toZonedDateTimeISO(name).toPlainDateTime()
      // The conversion can leave the range of four-digit years.
      if (local.year < 0 || local.year > 9999) return undefined
      return local.toString({ smallestUnit: 'second' }).replace('T', ' ')
    },
  }
}

/** Temporal throws for dates and times that do not exist, such as 2026-02-30. */
function validOnly<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch {
    return undefined
  }
}
