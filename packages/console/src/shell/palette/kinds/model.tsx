import { type DataOf, model } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ask } from '../../../api/ask.ts'
import { Icon } from '../../../kit/Icon.tsx'
import { Station } from '../../../kit/Station.tsx'
import { classified } from '../../../pages/model/questions.ts'
import { useWords } from '../../../words/index.ts'
import { paletteWords } from '../../../words/palette.ts'
import { type Asking, bestTargets, type FoundKind, type Target } from '../targets.ts'

const most = 8
const keepMs = 60_000
/** Other targets of the same name come first, such as the time zone of the user before that of businesses. */
const later = 1

/** The attributes of all objects. */
const allAttributes = () => ({
  ...ask(model.searchAttributes, { body: {} }),
  staleTime: keepMs,
  select: (found: DataOf<typeof model.searchAttributes>) => found,
})

/** Objects and attributes, by name and identifier. */
export function useModelTargets({ sought, sent }: Asking): FoundKind {
  const words = useWords(paletteWords)
  const navigate = useNavigate()
  const classifications = useQuery({ ...classified(), enabled: sent !== '', staleTime: keepMs })
  const attributes = useQuery({ ...allAttributes(), enabled: sent !== '' })
  const objects = (classifications.data ?? []).flatMap((each) => each.bk_objects)
  const names = new Map(objects.map((each) => [each.bk_obj_id, each.bk_obj_name]))
  const show = (object: string, attribute?: string) =>
    navigate({ to: '/model', search: { object, ...(attribute && { attribute }) } })
  const targets: Target[] = [
    ...objects.map((each) => ({
      id: `object ${each.bk_obj_id}`,
      name: each.bk_obj_name,
      names: [each.bk_obj_name, each.bk_obj_id],
      aside: `${each.bk_obj_id} · ${words.object}`,
      sign: <Station object={each.bk_obj_id} kind="other" />,
      go: () => show(each.bk_obj_id),
    })),
    ...(attributes.data ?? []).map((each) => ({
      id: `attribute ${each.bk_obj_id} ${each.bk_property_id}`,
      name: each.bk_property_name,
      names: [each.bk_property_name, each.bk_property_id],
      aside: `${names.get(each.bk_obj_id) ?? each.bk_obj_id} · ${each.bk_property_id}`,
      sign: <Icon name="model" />,
      go: () => show(each.bk_obj_id, each.bk_property_id),
    })),
  ]
  return {
    id: 'model',
    name: words.groups.model,
    found: sought.text
      ? bestTargets(targets, sought, most).map(({ item, rank }) => ({ item, rank: rank + later }))
      : [],
    isSearching: classifications.isFetching || attributes.isFetching,
  }
}
