import { type Language, languages, type Words } from '@mainline/contract'
import { instanceName, presetClassifications, presetGroups, presetObjects } from './presets.ts'

const presetClassificationNames = new Map(presetClassifications.map(({ id, name }) => [id, name]))
const presetObjectNames = new Map(presetObjects.map(({ id, name }) => [id, name]))
const groups = new Map<string, Words>(Object.entries(presetGroups))
const presetAttributeNames = new Map(
  presetObjects.flatMap((object) =>
    object.attributes.map((attribute) => [`${object.id}.${attribute.id}`, attribute.name] as const),
  ),
)
const choices = new Map(
  presetObjects.flatMap((object) =>
    object.attributes.flatMap((attribute) =>
      (attribute.choices ?? []).map((choice) => [`${object.id}.${attribute.id}.${choice.id}`, choice] as const),
    ),
  ),
)

/** The attribute that holds the name of an object's instances. */
const nameFields: Record<string, string> = {
  biz: 'bk_biz_name',
  set: 'bk_set_name',
  module: 'bk_module_name',
  plat: 'bk_cloud_name',
  // Hosts have no name attribute.
  host: '',
}
export const nameField = (object: string) => nameFields[object] ?? instanceName.id

/** The names of built-in records in every language; undefined for user-defined ones. */
export const wordsOf = {
  classification: (id: string) => presetClassificationNames.get(id),
  object: (id: string) => presetObjectNames.get(id),
  group: (id: string) => groups.get(id),
  attribute: (object: string, id: string) =>
    presetAttributeNames.get(`${object}.${id}`) ?? (id === instanceName.id ? instanceName.name : undefined),
  choice: (object: string, attribute: string, id: string) => choices.get(`${object}.${attribute}.${id}`)?.name,
}

/** A built-in name is stored in English and shown in the caller's language until a user renames it. */
export const shownName = (words: Words | undefined, stored: string, language: Language): string =>
  words?.en === stored ? words[language] : stored

/** Sending a built-in name back as it was shown, in any language, is no change. */
export const storedName = (words: Words | undefined, sent: string): string =>
  words && languages.some((language) => words[language] === sent) ? words.en : sent

/** All spellings of a name: filters and uniqueness match every language. */
export const allNames = (words: Words | undefined, stored: string): string[] =>
  words?.en === stored ? languages.map((language) => words[language]) : [stored]
