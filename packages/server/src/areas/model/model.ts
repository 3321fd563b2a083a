import type { Language } from '@mainline/contract'
import { RE2JS } from 're2js'
import type { Fields } from '../../condition/condition.ts'
import type { AccountModel } from '../../storage/index.ts'
import { shownName, wordsOf } from './names.ts'
import type { AttributeType } from './presets.ts'

/** An object's attribute as the account defines it. */
export interface Attribute {
  readonly id: string
  readonly object: string
  readonly name: string
  readonly group: string
  readonly type: AttributeType
  readonly required: boolean
  readonly preset: boolean
  readonly choices: readonly Choice[]
  readonly range: { readonly min?: number; readonly max?: number }
  readonly pattern: RE2JS | undefined
  readonly patternText: string
  /** 0, or the key under which its values are indexed. */
  readonly searchable: number
  /** Whether the values of all instances are indexed. */
  readonly filled: boolean
}

/** A unique rule of users that changes keep: enforced, or about to be. */
export interface UniqueRule {
  /** Of its rows in `unique_value`. */
  readonly key: number
  readonly attributes: readonly string[]
  readonly mustCheck: boolean
}

export interface Choice {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly is_default: boolean
}

export interface ObjectModel {
  readonly id: string
  readonly name: string
  readonly preset: boolean
  /** Its instances can be read but not changed. */
  readonly paused: boolean
  /** On the main line the object above, '' for the business; null elsewhere. */
  readonly above: string | null
  readonly attributes: readonly Attribute[]
  readonly attribute: ReadonlyMap<string, Attribute>
  /** The attributes that are indexed, completely or in part. */
  readonly searchable: readonly Attribute[]
  readonly uniques: readonly UniqueRule[]
  /** Values that other areas derive from the attributes, cached with this version of the model. */
  readonly derived: Map<string, Fields>
}

/** An account's objects and attributes at one version. Immutable: a new version is a new value. */
export interface Model extends AccountModel {
  readonly account: string
  readonly version: number
  readonly objects: ReadonlyMap<string, ObjectModel>
}

export const isModel = (value: unknown): value is Model =>
  typeof value === 'object' && value !== null && 'objects' in value && 'version' in value

/** A level: a user-defined object on the main line. */
export const isLevel = (object: ObjectModel) => object.above !== null && !object.preset

export function objectOf(model: Model, id: string): ObjectModel {
  const object = model.objects.get(id)
  if (!object) throw new Error(`account ${model.account} has no object ${id}`)
  return object
}

/** A parsed option: the choices of an enum, the range of a number, the pattern of a text. */
export function readOptions(
  type: AttributeType,
  text: string,
): Pick<Attribute, 'choices' | 'range' | 'pattern' | 'patternText'> {
  const option: unknown = text === '' ? null : JSON.parse(text)
  const patternText = typeof option === 'string' ? option : ''
  return {
    choices: type === 'enum' && Array.isArray(option) ? option : [],
    range: (type === 'int' || type === 'float') && option !== null ? (option as Attribute['range']) : {},
    pattern: patternText ? RE2JS.compile(patternText) : undefined,
    patternText,
  }
}

/** The attribute's name in the caller's language. */
export const attributeName = ({ object, id, name, preset }: Attribute, language: Language): string =>
  shownName(preset ? wordsOf.attribute(object, id) : undefined, name, language)

/** The object's name in the caller's language. */
export const objectName = ({ id, name, preset }: ObjectModel, language: Language): string =>
  shownName(preset ? wordsOf.object(id) : undefined, name, language)
