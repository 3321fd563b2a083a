import { type Attribute, choicesOf, rangeOf } from '../../forms/attributes.ts'

/** An attribute being defined, with all fields as typed. */
export interface Definition {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly group: string
  readonly required: boolean
  readonly editable: boolean
  readonly searchable: boolean
  readonly unit: string
  readonly hint: string
  readonly min: string
  readonly max: string
  readonly pattern: string
  readonly choices: readonly Choice[]
}

export interface Choice {
  readonly id: string
  readonly name: string
  readonly isDefault: boolean
}

export const blank: Definition = {
  id: '',
  name: '',
  type: 'singlechar',
  group: 'default',
  required: false,
  editable: true,
  searchable: false,
  unit: '',
  hint: '',
  min: '',
  max: '',
  pattern: '',
  choices: [{ id: '1', name: '', isDefault: true }],
}

export const definitionOf = (attribute: Attribute): Definition => ({
  id: attribute.bk_property_id,
  name: attribute.bk_property_name,
  type: attribute.bk_property_type,
  group: attribute.bk_property_group,
  required: attribute.isrequired,
  editable: attribute.editable,
  searchable: attribute.searchable,
  unit: attribute.unit,
  hint: attribute.placeholder,
  ...rangeOf(attribute),
  pattern: typeof attribute.option === 'string' ? attribute.option : '',
  choices: choicesOf(attribute).map((each) => ({ id: each.id, name: each.name, isDefault: each.is_default === true })),
})

export const isNumber = (type: string) => type === 'int' || type === 'float'
export const isText = (type: string) => type === 'singlechar' || type === 'longchar'

/** `option` in the form of the API, which depends on the type; empty text clears it. */
export function optionOf({ type, min, max, pattern, choices }: Definition): unknown {
  if (type === 'enum') {
    return choices.map((each) => ({
      id: each.id.trim(),
      name: each.name.trim(),
      type: 'text',
      is_default: each.isDefault,
    }))
  }
  if (isText(type)) return pattern
  if (!isNumber(type) || (min.trim() === '' && max.trim() === '')) return ''
  const bound = (text: string) => (text.trim() === '' ? null : Number(text))
  return { min: bound(min), max: bound(max) }
}

interface DefinitionWords {
  required: string
  decimal: string
  attributeId: string
  noChoice: string
}

/** Its errors, by field. */
export function problemsOf(given: Definition, words: DefinitionWords): Partial<Record<keyof Definition, string>> {
  const problems: Partial<Record<keyof Definition, string>> = {}
  if (!given.name.trim()) problems.name = words.required
  if (!given.id.trim()) problems.id = words.required
  else if (!/^[a-z][a-z0-9_]{0,63}$/.test(given.id)) problems.id = words.attributeId
  for (const bound of ['min', 'max'] as const) {
    if (isNumber(given.type) && given[bound].trim() !== '' && !Number.isFinite(Number(given[bound])))
      problems[bound] = words.decimal
  }
  if (given.type === 'enum' && !areChoices(given.choices)) problems.choices = words.noChoice
  return problems
}

function areChoices(choices: readonly Choice[]): boolean {
  const ids = choices.map((each) => each.id.trim())
  return (
    choices.length > 0 &&
    new Set(ids).size === ids.length &&
    choices.every((each) => each.id.trim() && each.name.trim())
  )
}

/** An unused value. */
export function nextChoice(choices: readonly Choice[]): Choice {
  const taken = new Set(choices.map((each) => each.id.trim()))
  let id = choices.length + 1
  while (taken.has(String(id))) id++
  return { id: String(id), name: '', isDefault: choices.length === 0 }
}
