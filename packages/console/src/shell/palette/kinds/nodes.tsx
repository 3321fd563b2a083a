import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { findNodes } from '../../../api/nodes.ts'
import { Station } from '../../../kit/Station.tsx'
import { treeOf } from '../../../pages/topology/questions.ts'
import { type Forest, keyOf, type Place, pathTo } from '../../../pages/topology/tree.ts'
import { useWords } from '../../../words/index.ts'
import { paletteWords } from '../../../words/palette.ts'
import { best, type Ranked, rankOf, type Sought } from '../rank.ts'
import { type Asking, bestTargets, type FoundKind, type Target } from '../targets.ts'

const mostHere = 12
const mostElsewhere = 8
/** Nodes of the current business are among the results, and are shown already. */
const mostAsked = 3 * mostElsewhere

/** Levels, sets and modules: those of the current business are known to the browser. */
export function useNodeTargets({ business, sought, sent }: Asking): Record<'here' | 'elsewhere', FoundKind> {
  const { groups } = useWords(paletteWords)
  const navigate = useNavigate()
  const tree = useQuery({ ...treeOf(business ?? 0), enabled: business !== null }).data
  const places = useMemo(() => (tree ? placesIn(tree, sought) : []), [tree, sought])
  const others = useQuery({
    ...findNodes({ name: sent }, mostAsked),
    enabled: sent !== '',
    placeholderData: (before) => before,
  })
  const open = (of: number, key: string) =>
    navigate({ to: '/topology/$business', params: { business: String(of) }, search: { node: key } })
  const found = places.map(({ item: place, rank }) => ({
    rank,
    item: {
      id: place.key,
      name: place.name,
      aside: pathTo(place)
        .slice(1, -1)
        .map((each) => each.name)
        .join(' / '),
      sign: <Station object={place.object} />,
      go: () => open(business ?? 0, place.key),
    },
  }))
  const targets = (others.data?.nodes ?? [])
    .filter((node) => node.bk_biz_id !== business)
    .map(
      (node): Target => ({
        id: `node ${node.bk_obj_id} ${node.bk_inst_id}`,
        name: node.bk_inst_name,
        aside: [...new Set([node.bk_biz_name, node.bk_parent_name])].join(' / '),
        sign: <Station object={node.bk_obj_id} />,
        go: () => open(node.bk_biz_id, keyOf(node.bk_obj_id, node.bk_inst_id)),
      }),
    )
  return {
    here: { id: 'nodes', name: groups.nodes(tree?.root.name ?? ''), found },
    elsewhere: {
      id: 'elsewhere',
      name: groups.elsewhere,
      found: sought.text ? bestTargets(targets, sought, mostElsewhere) : [],
      isSearching: others.isFetching,
    },
  }
}

function placesIn(tree: Forest, sought: Sought): Ranked<Place>[] {
  if (!sought.text) return []
  return best(tree.byKey.values(), mostHere, (place) => (place.parent ? rankOf(sought, [place.name]) : undefined))
}
