import { isBlank, problem, rule } from '@mainline/contract'
import type { Zone } from '../../common/time.ts'
import { dayOf, localTimeOf, scalar } from '../../condition/parse.ts'
import { matchesWithinRequest } from '../../matching/index.ts'
import type { Attribute, ObjectModel } from './model.ts'
import { nameField } from './names.ts'

export type Attributes = Record<string, unknown>

/** Fields of every record besides its attributes. A client may send them back unchanged; they are ignored. */
export const systemFields: ReadonlySet<string> = new Set([
  'bk_biz_id',
  'bk_set_id',
  'bk_module_id',
  'bk_host_id',
  'bk_inst_id',
  'bk_parent_id',
  'bk_supplier_account',
  'bk_obj_id',
  'bk_data_status',
  'default',
  'creator',
  'create_time',
  'last_time',
  'bk_revision',
])

const longest = { singlechar: 256, longchar: 2000, objuser: 2000 } as const

/** The attributes of a new instance: those not sent get their defaults. */
export function checkNew(object: ObjectModel, sent: Attributes, zone: Zone): Attributes {
  const given = checkSent(object, sent, zone)
  for (const attribute of object.attributes) {
    if (isUnset(given[attribute.id])) given[attribute.id] = defaultOf(attribute)
    if (attribute.required && isUnset(given[attribute.id])) throw problem('unassigned', { field: attribute.id })
  }
  return given
}

/** Defaults for an instance that the service itself creates; required attributes may stay unset. */
export const defaultsOf = (object: ObjectModel): Attributes =>
  Object.fromEntries(object.attributes.map((attribute) => [attribute.id, defaultOf(attribute)]))

/** Checks only the attributes that were sent; null clears one. Times without an offset are in `zone`. */
export function checkSent(object: ObjectModel, sent: Attributes, zone: Zone): Attributes {
  const given: Attributes = Object.create(null)
  for (const [id, value] of Object.entries(sent)) {
    if (systemFields.has(id)) continue
    const attribute = object.attribute.get(id)
    if (!attribute) throw problem('unknown', { field: id, rule: rule('attribute', { object: object.id }) })
    const checked = isUnset(value) ? null : checkValue(attribute, value, zone)
    if (attribute.required && isUnset(checked)) throw problem('unassigned', { field: id })
    if (id === nameField(object.id)) nameText(id, checked)
    given[id] = checked
  }
  return given
}

const isUnset = (value: unknown) => value === undefined || value === null || value === ''

const defaultOf = (attribute: Attribute): unknown => attribute.choices.find((choice) => choice.is_default)?.id ?? null

function checkValue(attribute: Attribute, value: unknown, zone: Zone): unknown {
  const field = attribute.id
  switch (attribute.type) {
    case 'singlechar':
    case 'longchar':
      return checkText(attribute, value, longest[attribute.type])
    case 'objuser':
      return checkText(attribute, value, longest.objuser)
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean)
        .join(',')
    case 'int':
      return withinRange(attribute, scalar(field, 'integer', value))
    case 'float':
      return withinRange(attribute, scalar(field, 'float', value))
    case 'enum': {
      const id = typeof value === 'number' ? String(value) : value
      if (attribute.choices.some((choice) => choice.id === id)) return id
      const values = shortList(attribute.choices.map((choice) => choice.id))
      throw problem('invalid', { field, rule: rule('oneOf', { values }) })
    }
    case 'date':
      return dayOf(field, value)
    case 'time':
      return localTimeOf(field, value, zone)
    case 'timezone':
      return checkTimezone(field, value)
    case 'bool':
      if (typeof value !== 'boolean') throw problem('notBoolean', { field })
      return value
  }
}

function checkText(attribute: Attribute, value: unknown, max: number): string {
  const field = attribute.id
  const text = plainText(field, value, max)
  const matches = attribute.pattern === undefined || matchesWithinRequest(attribute.pattern, text)
  if (matches === 'slow') throw problem('invalid', { field, rule: rule('valuesTooSlow') })
  if (!matches) throw problem('patternMismatch', { rule: rule('pattern', { field, pattern: attribute.patternText }) })
  return text
}

/** Text of at most `max` bytes that both engines can store. */
export function plainText(field: string, value: unknown, max: number): string {
  if (typeof value !== 'string') throw problem('notString', { field })
  if (value.includes('\0') || !value.isWellFormed()) throw problem('invalid', { field, rule: rule('text') })
  const got = Buffer.byteLength(value)
  if (got > max) throw problem('outOfBounds', { rule: rule('maxBytes', { field, max, got }) })
  return value
}

/** The name of an instance, read from its checked attributes. */
export function checkedName({ id }: Pick<ObjectModel, 'id'>, attributes: Attributes): string {
  const name = attributes[nameField(id)]
  if (typeof name !== 'string') throw new Error(`an instance of ${id} without a name`)
  return name
}

/** A name: not white space alone. Blanks around it are kept as sent. */
export function nameText(field: string, value: unknown): string {
  const name = plainText(field, value, longest.singlechar)
  if (isBlank(name)) throw problem('unassigned', { field })
  return name
}

function withinRange({ id, range }: Attribute, value: number): number {
  const { min = -Number.MAX_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = range
  if (value < min || value > max) throw problem('invalid', { field: id, rule: rule('between', { min, max }) })
  return value
}

function checkTimezone(field: string, value: unknown): string {
  try {
    if (typeof value === 'string') return Temporal.Now.zonedDateTimeISO(value).timeZoneId
  } catch {
    // Not a time zone: refused below.
  }
  throw problem('invalid', { field, rule: rule('timezone') })
}

const shortList = (values: readonly string[]) =>
  values.length <= 12 ? values.join(', ') : `${values.slice(0, 12).join(', ')}, … (${values.length})`
