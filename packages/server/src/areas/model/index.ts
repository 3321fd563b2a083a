// What the account's objects and attributes are: the data that validation, search, audit headers and forms read.
import type { Reader, Tx } from '../../platform/storage/index.ts'
import type { Model } from './model.ts'
import { readModel, readVersion } from './store.ts'

export { differs, inEnglish } from './alter.ts'
export { createAttribute, updateAttribute } from './attributes.ts'
export { type Attributes, checkNew, checkSent, defaultsOf, plainText, systemFields } from './check.ts'
export { createClassification, findOrMakeClassification, updateClassification } from './classifications.ts'
export { keepFilled } from './filling.ts'
export { createGroup as createAttributeGroup, updateGroup as updateAttributeGroup } from './groups.ts'
export { type Attribute, attributeName, isLevel, type Model, type ObjectModel, objectName, objectOf } from './model.ts'
export { nameField, shownName as shownWord, wordsOf } from './names.ts'
export { addObject, createObject, dropObject, updateObject } from './objects.ts'
export { type Showing, showAttribute } from './records.ts'
export { modelRoutes } from './routes.ts'
export {
  selectAttributes,
  selectClassifications,
  selectGroups as selectAttributeGroups,
  selectObjects,
} from './rows.ts'
export { dropValues, indexOf, isList, keepValues, replaceValues, type Valued } from './searchable.ts'
export { insertAccount } from './store.ts'

/** The account's model at a version that this request has read. */
export async function modelAt(reader: Reader, account: string, version: number): Promise<Model> {
  const key = `model ${account}`
  const known = reader.cache.get<Model>(key, version)
  if (known) return known
  const model = await readModel(reader, account, version)
  reader.cache.set(key, version, model)
  return model
}

export const modelIn = (tx: Tx): Promise<Model> => modelAt(tx, tx.actor.account, tx.modelVersion)

/** The account's model as it is now, for requests that have read no version yet. */
export async function modelOf(reader: Reader, account: string): Promise<Model> {
  return modelAt(reader, account, await readVersion(reader, account))
}

/** The model as this change has made it; not remembered, since nobody else can see it yet. */
export const readModelNow = (tx: Tx): Promise<Model> => readModel(tx, tx.actor.account, tx.modelVersion + 1)
