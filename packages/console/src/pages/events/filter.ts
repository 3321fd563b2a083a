import type { Attribute } from '../../forms/attributes.ts'
import { type Asked, askedOf, filterFrom, isComplete } from '../../forms/filters.ts'
import { type EventGroup, queryIn } from './names.ts'
import type { EventFilter } from './questions.ts'

export const sides = ['changed', 'after', 'before'] as const
export type Side = (typeof sides)[number]

/** One line of a filter, as typed; `changed` has neither operator nor value. */
export interface FilterLine {
  readonly side: Side
  readonly field: string
  readonly operator: Asked
  readonly value: string
}

export const freshLine: FilterLine = { side: 'changed', field: '', operator: '$eq', value: '' }

/** The lines in the form of the API; null without any. Half-typed lines are ignored. */
export function filterOf(
  lines: readonly FilterLine[],
  attributeOf: (field: string) => Attribute | undefined,
): EventFilter | null {
  const changed = lines.filter(({ side, field }) => side === 'changed' && field !== '').map(({ field }) => field)
  const tests = lines.flatMap(({ side, ...line }): EventFilter[] => {
    const filter = { ...line, object: 'host' } as const
    if (side === 'changed' || !isComplete(filter)) return []
    const { operator, value } = askedOf(filter, attributeOf(line.field))
    return [{ [`${side}.${line.field}`]: { [operator]: value } }]
  })
  const parts = [...(changed.length > 0 ? [{ changed: { $in: changed } }] : []), ...tests]
  if (parts.length === 0) return null
  const names = new Set(parts.flatMap(Object.keys))
  return names.size === parts.length ? Object.assign({}, ...parts) : { $and: parts }
}

/** A stored filter as lines; undefined if lines cannot express it, as with $or. */
export function linesOf(filter: EventFilter | null): FilterLine[] | undefined {
  const lines: FilterLine[] = []
  for (const [name, test] of Object.entries(filter ?? {})) {
    const found = name === '$and' && Array.isArray(test) ? linesOfAll(test) : linesOfTest(name, test)
    if (!found) return undefined
    lines.push(...found)
  }
  return lines
}

function linesOfAll(parts: readonly EventFilter[]): FilterLine[] | undefined {
  const lines = parts.map(linesOf)
  return lines.some((each) => each === undefined) ? undefined : lines.flatMap((each) => each ?? [])
}

function linesOfTest(name: string, test: unknown): FilterLine[] | undefined {
  const [, side, field] = /^(before|after)\.(.+)$/.exec(name) ?? []
  const tests = typeof test === 'object' && test !== null ? Object.entries(test) : [['$eq', test] as const]
  if (name === 'changed') {
    const [[operator, value] = [], ...more] = tests
    if (more.length > 0 || (operator !== '$in' && operator !== '$eq')) return undefined
    return [value].flat().map((each) => ({ ...freshLine, field: String(each) }))
  }
  if (!field || name.startsWith('$')) return undefined
  return tests.map(([operator, value]) => {
    const line = filterFrom('host', field, operator, value)
    return { side: side as Side, field, operator: line.operator, value: line.value }
  })
}

/** The objects whose attributes events of these names have. */
export function objectsIn(names: readonly string[], groups: readonly EventGroup[]): string[] {
  const objectOf = (name: string) =>
    queryIn(name) === undefined
      ? groups.find(({ actions }) => actions.values().some((entry) => entry.event_name === name))?.object
      : 'host'
  return [...new Set(names.flatMap((name) => objectOf(name) ?? []))]
}
