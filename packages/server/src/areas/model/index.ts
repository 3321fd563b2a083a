// What the account's objects and attributes are: the data that validation, search, audit headers and forms read.
import {
  type CommittedReader,
  cached,
  isCommitted,
  lastCached,
  type ModelSource,
  type Reader,
  type Tx,
} from '../../platform/storage/index.ts'
import { isModel, type Model } from './model.ts'
import { readCommittedModel, readModel, readVersion } from './store.ts'

export { differs, inEnglish } from './alter.ts'
export { createAttribute, updateAttribute } from './attributes.ts'
export { type Attributes, checkNew, checkSent, defaultsOf, nameText, plainText, systemFields } from './check.ts'
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

const cacheKey = (account: string) => `model ${account}`

/** The account's model at a version that this request has read, or at a later one that has replaced it meanwhile. */
export const modelAt = (reader: CommittedReader, account: string, version: number): Model | Promise<Model> =>
  cached(reader, cacheKey(account), version, async (readAt) => {
    const model = await readCommittedModel(reader, account, version)
    readAt(model.version)
    return model
  })

/** The account's model as it is now, for requests that have read no version yet. */
export async function modelOf(reader: Reader, account: string): Promise<Model> {
  const version = await readVersion(reader, account)
  return isCommitted(reader) ? modelAt(reader, account, version) : readModel(reader, account, version)
}

/** How changes get a model without reading it inside their transactions. */
export const models: ModelSource = {
  latest(reader, account) {
    const model = lastCached(reader, cacheKey(account))
    return isModel(model) ? model : undefined
  },
  load: modelOf,
}

/** The model as it was when the change began, read at most once in each transaction. */
export async function modelIn(tx: Tx): Promise<Model> {
  const { known } = tx.model
  if (isModel(known)) return known
  const model = await readModel(tx, tx.actor.account, tx.modelVersion)
  tx.model.known = model
  return model
}

/** The model as this change has made it. */
export const readModelNow = (tx: Tx): Promise<Model> => readModel(tx, tx.actor.account, tx.modelVersion + 1)
