import { type BodyOf, type model, problem, rule } from '@mainline/contract'
import type { Spelling } from '../../../http/dialect.ts'
import type { Tx } from '../../../storage/index.ts'
import { nameText } from '../check.ts'
import { defaultIcon } from '../presets.ts'
import { type ClassificationRow, type Showing, showClassification, wordsFor } from '../records.ts'
import { findClassification, selectClassifications, selectObjects } from '../rows.ts'
import { altered, differs, inEnglish } from './alter.ts'
import {
  labelText,
  newIdentifier,
  refuseOther,
  refuseTakenId,
  refuseTakenName,
  refuseTooMany,
  renamed,
} from './identifiers.ts'

const maxClassifications = 200

type NewClassification = BodyOf<typeof model.createClassification>
type ClassificationChanges = BodyOf<typeof model.updateClassification>

export async function createClassification(tx: Tx, sent: NewClassification, showing: Showing, identifiers: Spelling) {
  const { account } = tx.actor
  const id = newIdentifier('bk_classification_id', sent.bk_classification_id, identifiers)
  const name = nameText('bk_classification_name', sent.bk_classification_name)
  const icon = labelText('bk_classification_icon', sent.bk_classification_icon || defaultIcon)
  const others = await selectClassifications(tx, account).execute()
  refuseTooMany(rule('classifications'), others.length, maxClassifications)
  refuseTakenId(
    'bk_classification_id',
    id,
    others.map((row) => row.classification_id),
  )
  refuseTakenClassification({ name, words: undefined }, others)
  const row = await tx
    .insertInto('classification')
    .values({ account, classification_id: id, name, icon, preset: 0 })
    .returningAll()
    .executeTakeFirstOrThrow()
  await altered(tx, { part: 'classification', after: showClassification(row, inEnglish(showing)) })
  return showClassification(row, showing)
}

const refuseTakenClassification = (
  named: Parameters<typeof refuseTakenName>[1],
  others: readonly ClassificationRow[],
) =>
  refuseTakenName(
    'bk_classification_name',
    named,
    others.map((row) => ({ name: row.name, words: wordsFor.classification(row) })),
  )

export async function updateClassification(
  tx: Tx,
  id: number,
  sent: ClassificationChanges,
  showing: Showing,
): Promise<void> {
  const row = await findClassification(tx, tx.actor.account, id)
  refuseOther('bk_classification_id', sent.bk_classification_id, row.classification_id)
  const words = wordsFor.classification(row)
  const name = renamed('bk_classification_name', sent.bk_classification_name, row.name, words)
  const icon = labelText('bk_classification_icon', sent.bk_classification_icon ?? row.icon)
  const before = showClassification(row, inEnglish(showing))
  const after = showClassification({ ...row, name, icon }, inEnglish(showing))
  if (!differs(before, after)) return

  const others = await selectClassifications(tx, tx.actor.account).where('id', '<>', id).execute()
  refuseTakenClassification({ name, words }, others)
  await tx.updateTable('classification').set({ name, icon }).where('id', '=', id).execute()
  await altered(tx, { part: 'classification', before, after })
}

export async function deleteClassification(tx: Tx, id: number, showing: Showing): Promise<void> {
  const row = await findClassification(tx, tx.actor.account, id)
  if (row.preset) throw problem('builtInModel')
  const object = await selectObjects(tx, tx.actor.account)
    .where('classification_id', '=', row.classification_id)
    .executeTakeFirst()
  if (object) throw problem('classificationInUse')
  await tx.deleteFrom('classification').where('id', '=', id).execute()
  await altered(tx, { part: 'classification', before: showClassification(row, inEnglish(showing)) })
}

/** Finds a classification case-insensitively; an unknown one is created with its id as its name. */
export async function findOrMakeClassification(
  tx: Tx,
  id: string,
  showing: Showing,
  identifiers: Spelling,
): Promise<void> {
  const found = await selectClassifications(tx, tx.actor.account).where('classification_id', '=', id).executeTakeFirst()
  if (found) return
  await createClassification(tx, { bk_classification_id: id, bk_classification_name: id }, showing, identifiers)
}
