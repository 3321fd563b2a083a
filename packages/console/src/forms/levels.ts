import { model } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { askThen } from '../api/ask.ts'
import { chain } from '../api/model.ts'
import { kindOf } from '../kit/Station.tsx'
import { filtering } from '../words/filters.ts'
import { useWords } from '../words/index.ts'
import type { Attribute } from './attributes.ts'

/** Attributes that every level has. */
const common = { bk_inst_name: 'singlechar', bk_inst_id: 'int' } as const

/** Filterable attributes of levels: name, id, and user-defined ones, under the names of the levels that have them. */
export function useLevelAttributes(isWanted: boolean): readonly Attribute[] {
  const words = useWords(filtering)
  const line = useQuery({ ...chain(), enabled: isWanted }).data
  const levels = line?.filter((link) => kindOf(link.bk_obj_id) === 'level') ?? []
  const found = useQuery({
    ...askThen(model.searchAttributes, { body: { bk_obj_id: { $in: levels.map((level) => level.bk_obj_id) } } }),
    staleTime: 60_000,
    enabled: levels.length > 0,
  }).data
  return useMemo(() => {
    const named = new Map(line?.map((link) => [link.bk_obj_id, link.bk_obj_name]))
    const own = ((found ?? []) as Attribute[]).filter(({ bk_property_id: id }) => !(id in common))
    return [
      ...Object.entries(common).map(
        ([id, type]) =>
          ({
            bk_property_id: id,
            bk_property_name: words.levelFields[id as keyof typeof common],
            bk_property_type: type,
            option: '',
          }) as Attribute,
      ),
      ...[...Map.groupBy(own, (each) => each.bk_property_id).values()].flatMap(([first, ...others]) => {
        if (!first) return []
        const holders = [first, ...others].map((each) => named.get(each.bk_obj_id) ?? each.bk_obj_id).join(', ')
        return [{ ...first, bk_property_name: `${holders}: ${first.bk_property_name}` }]
      }),
    ]
  }, [line, found, words])
}
