// The account's objects and attributes, which validation, search, audit headers and forms are built from.
import {
  type CommittedReader,
  cached,
  isCommitted,
  lastCached,
  type ModelSource,
  type Reader,
  type Tx,
} from '../../storage/index.ts'
import { isModel, type Model } from './model.ts'
import { readCommittedModel, readModel, readVersion } from './store.ts'

export {
  type Attributes,
  checkedName,
  checkNew,
  checkSent,
  defaultsOf,
  nameText,
  plainText,
  systemFields,
} from './check.ts'
export { altered, differs, inEnglish } from './definitions/alter.ts'
export { createAttribute, updateAttribute } from './definitions/attributes.ts'
export { createClassification, findOrMakeClassification, updateClassification } from './definitions/classifications.ts'
export { createGroup as createAttributeGroup, updateGroup as updateAttributeGroup } from './definitions/groups.ts'
export { refuseTooMany } from './definitions/identifiers.ts'
export { addObject, createObject, dropObject, refuseAssociatedObject, updateObject } from './definitions/objects.ts'
export {
  type Definitions,
  type Rewriting,
  rewriteDefinitions,
  type StoredAttribute,
  type StoredAttributeGroup,
  type StoredClassification,
  type StoredObject,
} from './definitions/restore.ts'
export { type Attribute, attributeName, isLevel, type Model, type ObjectModel, objectName, objectOf } from './model.ts'
export { allNames, nameField, shownName as shownWord, wordsOf } from './names.ts'
export { type Showing, showAttribute, showObject } from './records.ts'
export { modelRoutes } from './routes.ts'
export {
  selectAttributes,
  selectClassifications,
  selectGroups as selectAttributeGroups,
  selectObjects,
} from './rows.ts'
export { type MatchedRecord, matchRecords } from './search.ts'
export { keepFilled } from './searchable/filling.ts'
export { indexOf, isList, type Valued } from './searchable/searchable.ts'
export { insertAccount } from './store.ts'
export { addUnique } from './unique/definitions.ts'
export { attributesOfRule, selectUniques } from './unique/rows.ts'
export { type Candidate, refuseTaken, takenRules, takenValues, uniqueTaken } from './unique/values.ts'
export { dropValues, keepValues, replaceValues } from './values.ts'

const cacheKey = (account: string) => `model ${account}`

/** The account's model at a version that this request has read, or at the newer version that has replaced it. */
export const modelAt = (reader: CommittedReader, account: string, version: number): Model | Promise<Model> =>
  cached(reader, cacheKey(account), version, async (readAt) => {
    const model = await readCommittedModel(reader, account, version)
    readAt(model.version)
    return model
  })

/** The account's current model, for requests that have not read its version. */
export async function modelOf(reader: Reader, account: string): Promise<Model> {
  const version = await readVersion(reader, account)
  return isCommitted(reader) ? modelAt(reader, account, version) : readModel(reader, account, version)
}

/** Gives changes a model without reading it inside their transactions. */
export const models: ModelSource = {
  latest(reader, account) {
    const model = lastCached(reader, cacheKey(account))
    return isModel(model) ? model : undefined
  },
  load: modelOf,
}

/** The model as it was when the change began; read at most once per transaction. */
export async function modelIn(tx: Tx): Promise<Model> {
  const version = await tx.modelVersion
  const { known } = tx.model
  if (isModel(known)) return known
  const model = await readModel(tx, tx.actor.account, version)
  tx.model.known = model
  return model
}

/** The model including what this change has written. */
export const readModelNow = (tx: Tx): Promise<Model> => readModel(tx, tx.actor.account, tx.stamp)
