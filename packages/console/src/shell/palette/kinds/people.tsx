import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { findBusinesses } from '../../../api/businesses.ts'
import { useSession } from '../../../api/session.ts'
import { listed } from '../../../forms/filters.ts'
import { Icon } from '../../../kit/Icon.tsx'
import { userGroups } from '../../../pages/privileges/questions.ts'
import { useWords } from '../../../words/index.ts'
import { paletteWords } from '../../../words/palette.ts'
import { type Asking, bestTargets, type FoundKind, type Target } from '../targets.ts'

const most = 8

/** Groups, and users as far as they are named: in groups and in roles of businesses. There is no directory of users. */
export function usePeopleTargets({ sought, sent }: Asking): FoundKind {
  const words = useWords(paletteWords)
  const navigate = useNavigate()
  const session = useSession().data
  const businesses = useQuery(findBusinesses('')).data?.businesses ?? []
  // For administrators; others find users only.
  const groups = useQuery({ ...userGroups(), enabled: sent !== '', staleTime: 0 })
  if (!sought.text) return { id: 'people', name: words.groups.people, found: [] }
  const named = [
    session?.user ?? '',
    ...businesses.flatMap((each) => [each.bk_biz_maintainer, each.bk_biz_developer]),
    ...(groups.data ?? []).map((group) => group.user_list),
  ]
  // A role may name a group, as "@group".
  const users = [...new Set(named.flatMap((names) => listed(names ?? '')))].filter((user) => !user.startsWith('@'))
  const targets: Target[] = [
    ...users.map((user) => ({
      id: `user ${user}`,
      name: user,
      aside: words.user,
      sign: <Icon name="user" />,
      go: () => navigate({ to: '/privileges', search: { tab: 'explain', user } }),
    })),
    ...(groups.data ?? []).map((group) => ({
      id: `group ${group.group_id}`,
      name: group.group_name,
      aside: words.userGroup,
      sign: <Icon name="privileges" />,
      go: () => navigate({ to: '/privileges', search: { tab: 'groups', group: group.group_id } }),
    })),
  ]
  return {
    id: 'people',
    name: words.groups.people,
    found: bestTargets(targets, sought, most),
    isSearching: groups.isFetching,
  }
}
