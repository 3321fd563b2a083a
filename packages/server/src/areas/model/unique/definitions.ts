import { type BodyOf, problem, rule, type uniques } from '@mainline/contract'
import { first } from '../../../common/present.ts'
import { refuse, type Tx } from '../../../storage/index.ts'
import { altered, differs, inEnglish } from '../definitions/alter.ts'
import { refuseTooMany } from '../definitions/identifiers.ts'
import type { Showing } from '../records.ts'
import { objectCalled, selectAttributes } from '../rows.ts'
import { beforeFirstId, dropKeys } from '../searchable/searchable.ts'
import { checkFrom } from './checking.ts'
import { attributesOfRule, selectUniques, type UniqueRow } from './rows.ts'
import { showUnique } from './show.ts'

const maxRulesOfObject = 20

type SentKeys = BodyOf<typeof uniques.createRule>['keys']

/** The identifiers of the attributes in alphabetical order: the order in which they are sent means nothing. */
async function attributesNamed(tx: Tx, object: string, keys: SentKeys): Promise<string[]> {
  const attributes = await selectAttributes(tx, tx.actor.account).where('attribute.object_id', '=', object).execute()
  const ids = new Map(attributes.map((row) => [row.id, row.attribute_id]))
  const named = keys.map(({ key_id }) => {
    const id = ids.get(key_id)
    if (id === undefined) throw problem('unknown', { field: `keys.key_id ${key_id}` })
    return id
  })
  return [...new Set(named)].sort()
}

const taken = { unique_rule_key: () => problem('duplicate', { what: 'keys' }) }

export async function createUnique(
  tx: Tx,
  object: string,
  sent: BodyOf<typeof uniques.createRule>,
  showing: Showing,
): Promise<uniques.UniqueRuleRecord> {
  if (!(await objectCalled(tx, tx.actor.account, object))) {
    throw problem('modelNotFound', { why: rule('noObject', { object }) })
  }
  return addUnique(tx, object, await attributesNamed(tx, object, sent.keys), sent.must_check ?? false, showing)
}

export async function addUnique(
  tx: Tx,
  object: string,
  attributes: readonly string[],
  mustCheck: boolean,
  showing: Showing,
): Promise<uniques.UniqueRuleRecord> {
  const { account } = tx.actor
  const others = await selectUniques(tx, account).where('object_id', '=', object).execute()
  refuseTooMany(rule('uniqueRules'), others.length, maxRulesOfObject)
  const row = await refuse(
    tx
      .insertInto('unique_rule')
      .values({
        account,
        object_id: object,
        attributes: JSON.stringify(attributes),
        must_check: Number(mustCheck),
        last_time: tx.now,
        ...(await unchecked(tx)),
      })
      .returningAll()
      .executeTakeFirstOrThrow(),
    taken,
  )
  const checked = await checkFirst(tx, row)
  await altered(tx, { part: 'unique rule', after: await showUnique(tx, checked, inEnglish(showing)) })
  return showUnique(tx, checked, showing)
}

const unchecked = async (tx: Tx) => ({
  key: first(await tx.drawIds('value', 1)),
  state: 'checking',
  checked: 0,
  checked_to: beforeFirstId,
  duplicates: '',
})

/** A rule that the first instances violate is not made; if they are all there are, it is enforced from the beginning. */
async function checkFirst(tx: Tx, row: UniqueRow): Promise<UniqueRow> {
  const { duplicates, isLast } = await checkFrom(tx, row)
  if (duplicates !== '') throw problem('uniqueViolated', { what: duplicates })
  if (isLast) await tx.updateTable('unique_rule').set({ state: 'enforced' }).where('id', '=', row.id).execute()
  return tx.selectFrom('unique_rule').selectAll().where('id', '=', row.id).executeTakeFirstOrThrow()
}

async function findUnique(tx: Tx, object: string, id: number): Promise<UniqueRow> {
  const row = await selectUniques(tx, tx.actor.account)
    .where('id', '=', id)
    .where('object_id', '=', object)
    .executeTakeFirst()
  if (!row) throw problem('notFound')
  return row
}

/** Without a difference a rule that was refused is checked again. */
export async function updateUnique(
  tx: Tx,
  object: string,
  id: number,
  sent: BodyOf<typeof uniques.updateRule>,
  showing: Showing,
): Promise<void> {
  const row = await findUnique(tx, object, id)
  const attributes = sent.keys ? JSON.stringify(await attributesNamed(tx, object, sent.keys)) : row.attributes
  const mustCheck = Number(sent.must_check ?? row.must_check === 1)
  if (attributes === row.attributes && mustCheck === row.must_check && row.state !== 'refused') return
  const changes = { attributes, must_check: mustCheck, last_time: tx.now, ...(await unchecked(tx)) }
  await refuse(tx.updateTable('unique_rule').set(changes).where('id', '=', id).execute(), taken)
  // The key of a refused rule has been dropped already.
  if (row.state !== 'refused') await dropKeys(tx, [row.key])
  const checked = await checkFirst(tx, { ...row, ...changes })
  const english = inEnglish(showing)
  const [before, after] = [await showUnique(tx, row, english), await showUnique(tx, checked, english)]
  if (differs(before, after)) await altered(tx, { part: 'unique rule', before, after })
}

/** Also while it is being checked: the check ends with it. */
export async function deleteUnique(tx: Tx, object: string, id: number, showing: Showing): Promise<void> {
  await removeUniques(tx, [await findUnique(tx, object, id)], showing)
}

/** The rules of an object that is deleted. */
export async function deleteUniquesOf(tx: Tx, object: string, showing: Showing): Promise<void> {
  await removeUniques(tx, await selectUniques(tx, tx.actor.account).where('object_id', '=', object).execute(), showing)
}

async function removeUniques(tx: Tx, rows: readonly UniqueRow[], showing: Showing): Promise<void> {
  for (const row of rows) {
    const before = await showUnique(tx, row, inEnglish(showing))
    await tx.deleteFrom('unique_rule').where('id', '=', row.id).execute()
    if (row.state !== 'refused') await dropKeys(tx, [row.key])
    await altered(tx, { part: 'unique rule', before })
  }
}

export async function refuseInUnique(tx: Tx, object: string, attribute: string): Promise<void> {
  const rows = await selectUniques(tx, tx.actor.account).where('object_id', '=', object).execute()
  if (rows.some((row) => attributesOfRule(row).includes(attribute))) throw problem('attributeInUniqueRule')
}
