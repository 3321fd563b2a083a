import { type Language, languages, type Words } from '@mainline/contract'
import { instanceName, presetClassifications, presetGroups, presetObjects } from './presets.ts'

const classifications = new Map(presetClassifications.map(({ id, name }) => [id, name]))
const objects = new Map(presetObjects.map(({ id, name }) => [id, name]))
const groups = new Map<string, Words>(Object.entries(presetGroups))
const attributes = new Map(
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

/** The attribute that an object's instances are called by. */
const nameFields: Record<string, string> = {
  biz: 'bk_biz_name',
  set: 'bk_set_name',
  module: 'bk_module_name',
  plat: 'bk_cloud_name',
}
export const nameField = (object: string) => nameFields[object] ?? instanceName.id

/** What the service itself calls something built in; undefined for what users have made. */
export const wordsOf = {
  classification: (id: string) => classifications.get(id),
  object: (id: string) => objects.get(id),
  group: (id: string) => groups.get(id),
  attribute: (object: string, id: string) =>
    attributes.get(`${object}.${id}`) ?? (id === instanceName.id ? instanceName.name : undefined),
  choice: (object: string, attribute: string, id: string) => choices.get(`${object}.${attribute}.${id}`)?.name,
}

/** A built-in name is stored in English and shown in the caller's language, unless somebody has renamed it. */
export const shownName = (words: Words | undefined, stored: string, language: Language): string =>
  words?.en === stored ? words[language] : stored

/** A built-in name that is sent back as it was shown, in whichever language, is no change. */
export const storedName = (words: Words | undefined, sent: string): string =>
  words && languages.some((language) => words[language] === sent) ? words.en : sent

/** Everything it is called: filters and uniqueness match all languages. */
export const allNames = (words: Words | undefined, stored: string): string[] =>
  words?.en === stored ? languages.map((language) => words[language]) : [stored]
