// Existing instances under a new unique rule: the first ones in the change that makes the rule, the others in the background.

import { type SqlBool, sql } from 'kysely'
import type { Actor, ChangeFunction, Reader, Tx } from '../../../storage/index.ts'
import { altered, inEnglish } from '../definitions/alter.ts'
import type { Showing } from '../records.ts'
import { nextInstances, type Passed } from '../searchable/instances.ts'
import { dropKeys } from '../searchable/searchable.ts'
import { attributesOfRule, ruleOf, type UniqueRow } from './rows.ts'
import { showUnique } from './show.ts'
import { keepExisting } from './values.ts'

/** Instances per change. The first ones are checked while nothing else changes the account. */
const checkedPerChange = 500
/** How many duplicates are named. */
const namedDuplicates = 5

/** A literal, because a bound value defeats the partial index. */
export const selectUncheckedRules = (reader: Reader) =>
  reader
    .selectFrom('unique_rule')
    .select(['id', 'account', 'object_id as object'])
    .where(sql<SqlBool>`state = 'checking'`)
    .orderBy('id')

/** Checks the next instances of a rule; false when nothing is left to do here. */
export async function checkNext(change: ChangeFunction, actor: Actor, id: number, showing: Showing): Promise<boolean> {
  const outcome = await change(actor, (tx) => checkSome(tx, id), { bulk: true })
  if (outcome === 'elsewhere') return false
  if (outcome === 'checked') return true
  await change(actor, (tx) => concludeCheck(tx, id, outcome, showing), { chain: 'exclusive' })
  return false
}

interface Conclusion {
  /** Of the check that was concluded: an altered rule has another. */
  readonly key: number
  readonly duplicates: string
}

/** The rule's row is the lock on its check, and keeps the progress: another process goes on where this one stops. */
async function checkSome(tx: Tx, id: number): Promise<'elsewhere' | 'checked' | Conclusion> {
  const row = await tx
    .selectFrom('unique_rule')
    .selectAll()
    .where('id', '=', id)
    .$if(tx.dialect.locksRows, (query) => query.forUpdate().skipLocked())
    .executeTakeFirst()
  if (row?.state !== 'checking') return 'elsewhere'
  const { duplicates, isLast } = await checkFrom(tx, row)
  return duplicates !== '' || isLast ? { key: row.key, duplicates } : 'checked'
}

/** Names the first duplicates, or advances the progress. */
export async function checkFrom(tx: Tx, row: UniqueRow): Promise<{ duplicates: string; isLast: boolean }> {
  const instances = await nextInstances(tx, row.object_id, row.checked_to, checkedPerChange)
  const kept = instances.filter(({ isBuiltIn }) => !isBuiltIn)
  const found = await keepExisting(tx, ruleOf(row), kept)
  if (found.length > 0) return { duplicates: await nameDuplicates(tx, row, found), isLast: true }
  const last = instances.at(-1)
  if (last) {
    await tx
      .updateTable('unique_rule')
      .set({ checked: row.checked + instances.length, checked_to: last.publicId })
      .where('id', '=', row.id)
      .execute()
  }
  return { duplicates: '', isLast: instances.length < checkedPerChange }
}

async function nameDuplicates(
  tx: Tx,
  row: UniqueRow,
  found: readonly { readonly duplicate: Passed; readonly of: number }[],
): Promise<string> {
  const named = found
    .toSorted((one, other) => one.duplicate.publicId - other.duplicate.publicId)
    .slice(0, namedDuplicates)
  const ids = await publicIds(
    tx,
    row.object_id,
    named.map(({ of }) => of),
  )
  const texts = named.map(({ duplicate, of }) => {
    const values = attributesOfRule(row).map((id) => `${id} ${String(duplicate.attributes[id] ?? '').slice(0, 100)}`)
    return `${row.object_id} ${ids.get(of)} = ${duplicate.publicId} (${values.join(', ')})`
  })
  const more = found.length > named.length ? `, … (${found.length})` : ''
  return texts.join(', ') + more
}

async function publicIds(tx: Tx, object: string, rows: readonly number[]): Promise<Map<number, number>> {
  const found =
    object === 'host'
      ? await tx
          .selectFrom('host')
          .select(['id', 'host_id as publicId'])
          .where((eb) => tx.dialect.among(eb.ref('id'), rows, 'integer'))
          .execute()
      : await tx
          .selectFrom('node')
          .select(['id', 'inst_id as publicId'])
          .where((eb) => tx.dialect.among(eb.ref('id'), rows, 'integer'))
          .execute()
  return new Map(found.map((row) => [row.id, row.publicId]))
}

async function concludeCheck(tx: Tx, id: number, { key, duplicates }: Conclusion, showing: Showing): Promise<void> {
  const row = await tx.selectFrom('unique_rule').selectAll().where('id', '=', id).executeTakeFirst()
  if (row?.state !== 'checking' || row.key !== key) return
  const after: UniqueRow = { ...row, state: duplicates === '' ? 'enforced' : 'refused', duplicates }
  await tx.updateTable('unique_rule').set({ state: after.state, duplicates }).where('id', '=', id).execute()
  if (duplicates !== '') await dropKeys(tx, [key])
  const english = inEnglish(showing)
  const [before, now] = [await showUnique(tx, row, english), await showUnique(tx, after, english)]
  await altered(tx, { part: 'unique rule', before, after: now })
}
