// Unique rules that users have defined, as they are stored.

import type { Selectable } from 'kysely'
import { readOwnJson } from '../../../common/own-json.ts'
import type { Reader, Tables } from '../../../storage/index.ts'
import type { UniqueRule } from '../model.ts'

export type UniqueRow = Selectable<Tables['unique_rule']>

/** How far a rule is: changes keep it from the beginning, unless existing instances violate it. */
export const uniqueStates = ['checking', 'enforced', 'refused'] as const
export type UniqueState = (typeof uniqueStates)[number]

export const selectUniques = (reader: Reader, account: string) =>
  reader.selectFrom('unique_rule').selectAll().where('account', '=', account).orderBy('id')

export const attributesOfRule = (row: Pick<UniqueRow, 'attributes'>): string[] => readOwnJson(row.attributes)

export const ruleOf = (row: UniqueRow): UniqueRule => ({
  key: row.key,
  attributes: attributesOfRule(row),
  mustCheck: row.must_check === 1,
})

/** The rules that changes keep, by object. */
export async function keptUniques(reader: Reader, account: string): Promise<ReadonlyMap<string, UniqueRule[]>> {
  const rows = await selectUniques(reader, account).where('state', '<>', 'refused').execute()
  return new Map(
    Map.groupBy(rows, (row) => row.object_id)
      .entries()
      .map(([object, own]) => [object, own.map(ruleOf)]),
  )
}
