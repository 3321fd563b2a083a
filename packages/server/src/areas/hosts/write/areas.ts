import type { Reader, Tx } from '../../../storage/index.ts'

/** Cloud areas of the account by public id; unknown ones are left out. */
export async function findAreas(tx: Tx, ids: readonly number[]): Promise<Map<number, number>> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return new Map()
  const found = await selectAreas(tx, tx.actor.account)
    .where((eb) => tx.dialect.among(eb.ref('inst_id'), wanted, 'integer'))
    .execute()
  return new Map(found.map((row) => [row.inst_id, row.id]))
}

const selectAreas = (reader: Reader, account: string) =>
  reader.selectFrom('node').select(['id', 'inst_id']).where('account', '=', account).where('object_id', '=', 'plat')
