import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { findBusinesses } from '../../../api/businesses.ts'
import { Icon } from '../../../kit/Icon.tsx'
import { Station } from '../../../kit/Station.tsx'
import { allSubscriptions } from '../../../pages/events/questions.ts'
import { queriesNamed } from '../../../pages/queries/questions.ts'
import { useWords } from '../../../words/index.ts'
import { paletteWords } from '../../../words/palette.ts'
import { type Asking, bestTargets, type FoundKind, type Target } from '../targets.ts'

const most = 8
/** Before anything is typed. */
const mostAtFirst = 12
/** The page size of the interface: a list that is shorter is complete. */
const wholeList = 200
/** No event tells of changes of queries and subscriptions: they are read once each time the palette is opened and typed into. */
const readAgain = { staleTime: 0 } as const

/** The first ones by name; if there are more, also those with the typed name. */
export function useBusinessTargets({ sought, sent }: Asking): FoundKind {
  const { groups } = useWords(paletteWords)
  const navigate = useNavigate()
  const first = useQuery(findBusinesses(''))
  const isPart = first.data !== undefined && first.data.count > first.data.businesses.length
  const named = useQuery({
    ...findBusinesses(sent),
    enabled: isPart && sent !== '',
    placeholderData: (before) => before,
  })
  const known = new Map(
    [...(first.data?.businesses ?? []), ...(named.data?.businesses ?? [])].map((each) => [each.bk_biz_id, each]),
  )
  const targets = [...known.values()].map(
    (each): Target => ({
      id: `biz ${each.bk_biz_id}`,
      name: each.bk_biz_name,
      aside: each.bk_biz_maintainer,
      sign: <Station object="biz" />,
      go: () => navigate({ to: '/topology/$business', params: { business: String(each.bk_biz_id) } }),
    }),
  )
  return {
    id: 'businesses',
    name: groups.businesses,
    found: bestTargets(targets, sought, sought.text ? most : mostAtFirst),
    isSearching: first.isFetching || named.isFetching,
  }
}

/** Saved queries of all businesses. */
export function useQueryTargets({ sought, sent }: Asking): FoundKind {
  const { groups } = useWords(paletteWords)
  const navigate = useNavigate()
  const first = useQuery({ ...queriesNamed('', wholeList), ...readAgain, enabled: sent !== '' })
  const named = useQuery({
    ...queriesNamed(sent, most),
    enabled: sent !== '' && first.data?.length === wholeList,
    placeholderData: (before) => before,
  })
  const known = new Map([...(first.data ?? []), ...(named.data ?? [])].map((each) => [each.id, each]))
  const targets = [...known.values()].map(
    (query): Target => ({
      id: `query ${query.id}`,
      name: query.name,
      aside: query.bk_biz_name,
      sign: <Icon name="queries" />,
      go: () =>
        navigate({
          to: '/queries/$business',
          params: { business: String(query.bk_biz_id) },
          search: { query: query.id },
        }),
    }),
  )
  return {
    id: 'queries',
    name: groups.queries,
    found: sought.text ? bestTargets(targets, sought, most) : [],
    isSearching: first.isFetching || named.isFetching,
  }
}

/** A missing privilege is not reported: the palette then finds none. */
export function useSubscriptionTargets({ sought, sent }: Asking): FoundKind {
  const { groups } = useWords(paletteWords)
  const navigate = useNavigate()
  const subscribed = useQuery({
    ...allSubscriptions(),
    ...readAgain,
    enabled: sent !== '',
    refetchInterval: false,
  })
  const targets = (subscribed.data ?? []).map(
    (each): Target => ({
      id: `subscription ${each.subscription_id}`,
      name: each.subscription_name,
      names: [each.subscription_name, each.callback_url],
      aside: each.callback_url,
      sign: <Icon name="events" />,
      go: () => navigate({ to: '/events/$subscription', params: { subscription: String(each.subscription_id) } }),
    }),
  )
  return {
    id: 'subscriptions',
    name: groups.subscriptions,
    found: sought.text ? bestTargets(targets, sought, most) : [],
    isSearching: subscribed.isFetching,
  }
}
