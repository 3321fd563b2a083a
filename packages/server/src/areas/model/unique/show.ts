import { problem, rule, type uniques } from '@mainline/contract'
import type { Reader } from '../../../storage/index.ts'
import { nameField } from '../names.ts'
import type { ObjectRow, Showing } from '../records.ts'
import { objectCalled, selectAttributes } from '../rows.ts'
import { attributesOfRule, selectUniques, type UniqueRow, uniqueStates } from './rows.ts'

type RuleKeys = uniques.UniqueRuleRecord['keys']

/** The built-in rule of an object first, then those of users. */
export async function uniquesOf(
  reader: Reader,
  account: string,
  object: string,
  showing: Pick<Showing, 'zone'>,
): Promise<uniques.UniqueRuleRecord[]> {
  const row = await objectCalled(reader, account, object)
  if (!row) throw problem('modelNotFound', { why: rule('noObject', { object }) })
  const rows = await selectUniques(reader, account).where('object_id', '=', object).execute()
  const own = await Promise.all(rows.map((each) => showUnique(reader, each, showing)))
  return [...(await builtInOf(reader, row, showing)), ...own]
}

/** The attributes by which constraints of the database tell instances apart. */
const uniqueBy = (object: string): readonly string[] =>
  object === 'host' ? ['bk_host_innerip', 'bk_cloud_id'] : [nameField(object)]

/** It follows from what the object is; its id is the negative one of the object. */
async function builtInOf(
  reader: Reader,
  row: ObjectRow,
  { zone }: Pick<Showing, 'zone'>,
): Promise<uniques.UniqueRuleRecord[]> {
  const keys = await keysOf(reader, row.account, row.object_id, uniqueBy(row.object_id))
  if (keys.length === 0) return []
  return [
    {
      id: -row.id,
      bk_obj_id: row.object_id,
      must_check: true,
      keys,
      ispre: true,
      bk_supplier_account: row.account,
      last_time: zone.write(row.create_time),
      bk_unique_state: 'enforced',
      bk_checked: 0,
      bk_duplicates: '',
    },
  ]
}

export async function showUnique(
  reader: Reader,
  row: UniqueRow,
  { zone }: Pick<Showing, 'zone'>,
): Promise<uniques.UniqueRuleRecord> {
  return {
    id: row.id,
    bk_obj_id: row.object_id,
    must_check: row.must_check === 1,
    keys: await keysOf(reader, row.account, row.object_id, attributesOfRule(row)),
    ispre: false,
    bk_supplier_account: row.account,
    last_time: zone.write(row.last_time),
    bk_unique_state: uniqueStates.find((state) => state === row.state) ?? 'checking',
    bk_checked: row.checked,
    bk_duplicates: row.duplicates,
  }
}

async function keysOf(reader: Reader, account: string, object: string, ids: readonly string[]): Promise<RuleKeys> {
  const attributes = await selectAttributes(reader, account).where('attribute.object_id', '=', object).execute()
  return attributes
    .filter(({ attribute_id }) => ids.includes(attribute_id))
    .map(({ id }) => ({ key_kind: 'property', key_id: id }))
}
