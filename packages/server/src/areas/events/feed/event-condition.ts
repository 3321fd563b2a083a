// The filter of a subscription, a watch or a stream: a condition over `before.<field>`, `after.<field>` and `changed`, in the one form of conditions.
// It is tested against every event on the event loop, so it has no patterns and a limited length.
import { Problem, problem, rule } from '@mainline/contract'
import { nearest } from '../../../common/nearest.ts'
import { readOwnJson } from '../../../common/own-json.ts'
import { first } from '../../../common/present.ts'
import type { Zone } from '../../../common/time.ts'
import { type Condition, type Field, type Fields, leavesIn, needsMatching } from '../../../condition/condition.ts'
import { meets, type Row } from '../../../condition/evaluate.ts'
import { parseCondition } from '../../../condition/parse.ts'
import type { Snapshot } from '../../../storage/index.ts'
import type { Model } from '../../model/index.ts'
import type { Difference, FeedEvent } from './event.ts'
import { fieldsOfKind, kindsOfStream, valuesIn } from './event-fields.ts'
import { isReset } from './names.ts'

export type EventFilterBody = Readonly<Record<string, unknown>>

/** In characters of JSON. */
export const longestEventFilter = 10_000

const changed = 'changed'
const changedField: Field = { type: 'text', at: { attribute: changed }, isList: true }

export interface EventMatcher {
  /** Why the filter cannot be applied to the model as it is now. Then every event matches, so that a receiver does not miss any silently. */
  readonly problem: Problem | undefined
  matches(event: FeedEvent): boolean
}

interface Reading {
  /** The kinds of events that are filtered; undefined for those of a stream. */
  readonly kinds: readonly string[] | undefined
  readonly zone: Zone
}

/** Checks a filter against the model and returns it as stored: '' for none. */
export function readEventFilter(sent: EventFilterBody | null | undefined, reading: Reading, model: Model): string {
  const text = JSON.stringify(sent ?? {})
  if (text === '{}') return ''
  if (text.length > longestEventFilter) {
    const why = rule('atMostCharacters', { max: longestEventFilter, got: text.length })
    throw problem('invalid', { field: 'filter', rule: why })
  }
  const { problem: refusal } = new EventCondition(text, reading).at(model)
  if (refusal) throw refusal
  return text
}

/** A stored filter as it was sent; null for none. */
export const showEventFilter = (stored: string): Record<string, unknown> | null =>
  stored === '' ? null : readOwnJson(stored)

/** A stored filter, compiled for the model of the moment. */
export class EventCondition {
  readonly #text: string
  readonly #reading: Reading
  #known: { readonly model: Model; readonly matcher: EventMatcher } | undefined

  constructor(text: string, reading: Reading) {
    this.#text = text
    this.#reading = reading
  }

  at(model: Model): EventMatcher {
    if (this.#known?.model !== model) {
      this.#known = { model, matcher: compiled(readOwnJson(this.#text), this.#reading, model) }
    }
    return this.#known.matcher
  }

  /** Streams with the same filter share what they read. */
  toJSON(): string {
    return this.#text
  }
}

function compiled(input: unknown, { kinds, zone }: Reading, model: Model): EventMatcher {
  try {
    const byKind = new ConditionsByKind(input, kinds ?? kindsOfStream(model), zone, model)
    return { problem: undefined, matches: (event) => byKind.matches(event) }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { problem: error.at('filter'), matches: () => true }
  }
}

/**
 * The same field may have different types in different objects, so the filter is parsed for each kind of event. A field that a kind does not have is
 * unset in its events.
 */
class ConditionsByKind {
  readonly #input: unknown
  readonly #zone: Zone
  readonly #model: Model
  readonly #names: readonly string[]
  /** The named fields, of the first kind that has them. */
  readonly #anywhere = new Map<string, Field>()
  readonly #parsed = new Map<string, { readonly condition: Condition; readonly fields: Fields }>()

  /** Throws the problem of the filter, if there is one. */
  constructor(input: unknown, kinds: readonly string[], zone: Zone, model: Model) {
    this.#input = input
    this.#zone = zone
    this.#model = model
    this.#names = [...new Set(fieldsNamedIn(input))]
    const having = new Set(kinds.slice(0, 1))
    for (const kind of kinds) {
      for (const name of this.#names) {
        const field = fieldOf(name, kind, model)
        if (!field) continue
        if (!this.#anywhere.has(name)) this.#anywhere.set(name, field)
        if (name !== changed) having.add(kind)
      }
    }
    const unknown = this.#names.find((name) => !this.#anywhere.has(name))
    if (unknown !== undefined) throw unknownField(unknown, 'eventField', namesOf(kinds, model))
    for (const kind of having)
      for (const each of changedNames(this.#of(kind).condition)) refuseUnknown(each, kinds, model)
  }

  matches(event: FeedEvent): boolean {
    // The data of a hostidentifier is looked up when it is sent.
    if (isReset(event) || event.data.length === 0) return true
    const { condition, fields } = this.#of(event.objType)
    return meets(rowOf(event, fields), condition, fields)
  }

  #of(kind: string) {
    const known = this.#parsed.get(kind)
    if (known) return known
    const own = this.#names.map((name): [string, Field | undefined] => [name, fieldOf(name, kind, this.#model)])
    const fields = new Map([...this.#anywhere, ...own.filter((each): each is [string, Field] => each[1] !== undefined)])
    const condition = parseCondition(this.#input, { fields, zone: this.#zone, text: 'whole' })
    if (needsMatching(condition))
      throw problem('invalid', { field: '$regex', rule: rule('noPattern', { values: '$eq $in $gt $lt' }) })
    const parsed = { condition, fields }
    this.#parsed.set(kind, parsed)
    return parsed
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The fields that a filter names; what is malformed is refused when it is parsed. */
function fieldsNamedIn(input: unknown): string[] {
  if (!isObject(input)) return []
  return Object.entries(input).flatMap(([name, value]) => {
    if (name !== '$or' && name !== '$and') return [name]
    return Array.isArray(value) ? value.flatMap(fieldsNamedIn) : []
  })
}

const sideForm = /^(before|after)\.(.+)$/

function fieldOf(name: string, kind: string, model: Model): Field | undefined {
  if (name === changed) return changedField
  const [, , field] = sideForm.exec(name) ?? []
  const found = field === undefined ? undefined : fieldsOfKind(kind, model).get(field)
  return found?.isHidden ? undefined : found
}

/** Every field that these events have. */
const fieldNames = (kinds: readonly string[], model: Model): string[] => [
  ...new Set(
    kinds.flatMap((kind) => [...fieldsOfKind(kind, model)].flatMap(([name, field]) => (field.isHidden ? [] : [name]))),
  ),
]

const namesOf = (kinds: readonly string[], model: Model): string[] => [
  changed,
  ...fieldNames(kinds, model).flatMap((name) => [`after.${name}`, `before.${name}`]),
]

const unknownField = (name: string, why: 'eventField' | 'changedField', known: readonly string[]) =>
  problem('unknown', { field: name, rule: rule(why, { values: nearest(name, known).join(', ') }) })

function refuseUnknown(name: string, kinds: readonly string[], model: Model): void {
  if (kinds.some((kind) => fieldOf(`after.${name}`, kind, model))) return
  throw unknownField(name, 'changedField', fieldNames(kinds, model))
}

/** The names that `changed` is compared with. */
function changedNames(condition: Condition): string[] {
  return leavesIn(condition).flatMap(({ field, test }) => {
    if (field !== changed || test.is === 'unset') return []
    if (test.is === 'listing') return test.names
    if (test.is === 'among') return test.values.map(String)
    throw problem('invalid', { field: changed, rule: rule('operator', { values: '$eq $ne $in $nin $exists' }) })
  })
}

/** Both sides of an event as one row. Fields are those of its kind. */
function rowOf({ objType, data }: FeedEvent, fields: Fields): Row {
  const difference = first(data)
  const before = valuesIn(objType, difference.pre_data)
  const after = valuesIn(objType, difference.cur_data)
  const sideOf = (name: string) => (name.startsWith('before.') ? before : after)
  return {
    builtIn: (name) => Number(sideOf(name)?.default ?? 0),
    value(name) {
      if (name === changed) return changedIn(difference, before, after)
      const value = sideOf(name)?.[name.slice(name.indexOf('.') + 1)]
      // Shown with an offset.
      return fields.get(name)?.type === 'instant' && typeof value === 'string' ? Date.parse(value) : value
    },
  }
}

const known = new WeakMap<Difference, string>()

/** The names of the fields that differ, separated by commas. A creation and a deletion change every field that has a value. */
function changedIn(difference: Difference, before: Snapshot = {}, after: Snapshot = {}): string {
  let names = known.get(difference)
  if (names === undefined) {
    const all = new Set([...Object.keys(before), ...Object.keys(after)])
    names = [...all].filter((name) => differs(before[name] ?? '', after[name] ?? '')).join(',')
    known.set(difference, names)
  }
  return names
}

const differs = (one: unknown, other: unknown): boolean =>
  typeof one === 'object' || typeof other === 'object' ? JSON.stringify(one) !== JSON.stringify(other) : one !== other
