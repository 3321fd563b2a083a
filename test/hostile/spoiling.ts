// Mutations of JSON values that make them invalid.
import fc from 'fast-check'
import { anything, text } from './values.ts'

/** A mutation: a place, and what is done there. */
export interface Spoiling {
  readonly at: number
  readonly how: 'replace' | 'remove' | 'add' | 'wrap' | 'repeat'
  readonly key: string
  readonly value: unknown
}

export const spoiling: fc.Arbitrary<Spoiling> = fc.record({
  at: fc.nat(50),
  how: fc.constantFrom('replace', 'remove', 'add', 'wrap', 'repeat'),
  key: text,
  value: anything,
})

export function spoilt(body: unknown, spoiling: Spoiling): unknown {
  const places = placesIn(body)
  const target = places[spoiling.at % places.length] as Place
  return changedAt(body, target, spoiling)
}

type Place = readonly (string | number)[]

function placesIn(value: unknown, here: Place = []): Place[] {
  if (here.length > 6) return [here]
  const entries = Array.isArray(value)
    ? value.slice(0, 5).map((each, index) => [index, each] as const)
    : isPlain(value)
      ? Object.entries(value).slice(0, 20)
      : []
  return [here, ...entries.flatMap(([key, inner]) => placesIn(inner, [...here, key]))]
}

function changedAt(value: unknown, [key, ...rest]: Place, spoiling: Spoiling): unknown {
  if (key === undefined) return spoiltValue(value, spoiling)
  const last = rest.length === 0 && spoiling.how === 'remove'
  if (Array.isArray(value)) {
    return value.flatMap((each, index) => (index !== key ? [each] : last ? [] : [changedAt(each, rest, spoiling)]))
  }
  const kept = Object.entries(value as Record<string, unknown>).filter(([name]) => !last || name !== key)
  return Object.fromEntries(
    kept.map(([name, inner]) => [name, name === key ? changedAt(inner, rest, spoiling) : inner]),
  )
}

function spoiltValue(value: unknown, { how, key, value: other }: Spoiling): unknown {
  switch (how) {
    case 'add':
      return Array.isArray(value)
        ? [...value, other]
        : isPlain(value)
          ? Object.fromEntries([...Object.entries(value), [key, other]])
          : other
    case 'wrap':
      return [value]
    case 'repeat':
      return Array.isArray(value)
        ? [...value, ...value]
        : typeof value === 'string'
          ? value.repeat(Math.ceil(300 / (value.length + 1)))
          : other
    default:
      return other
  }
}

export const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)

/** Preserves keys such as `__proto__`, which an assignment would not. */
export function rebuilt(value: Record<string, unknown>, change: (inner: unknown, key: string) => unknown): unknown {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner, key)]))
}
