import { useMemo } from 'react'
import type { PickerGroup } from '../../kit/Picker.tsx'
import { useSettled } from '../../kit/settled.ts'
import { useActionTargets } from './kinds/actions.tsx'
import { useHostTargets } from './kinds/hosts.tsx'
import { useModelTargets } from './kinds/model.tsx'
import { useNodeTargets } from './kinds/nodes.tsx'
import { usePageTargets } from './kinds/pages.tsx'
import { usePeopleTargets } from './kinds/people.tsx'
import { useBusinessTargets, useQueryTargets, useSubscriptionTargets } from './kinds/records.tsx'
import { useSettingTargets } from './kinds/settings.tsx'
import { isClose, seek } from './rank.ts'
import { type Asking, bestRank, inOrder, type Target } from './targets.ts'

interface Targets {
  readonly groups: PickerGroup<Target>[]
  readonly isSearching: boolean
  /** While more is searched for, what has been found so far may not be what is meant. */
  readonly isPending: boolean
}

/** All targets that match what is typed. Lists that fit into one answer are read once, and searched here. */
export function useTargets(business: number | null, typed: string): Targets {
  const sought = useMemo(() => seek(typed), [typed])
  const sent = useSettled(typed.trim())
  const asking: Asking = { business, sought, sent }
  const { here, elsewhere } = useNodeTargets(asking)
  const kinds = [
    here,
    useBusinessTargets(asking),
    usePageTargets(asking),
    useActionTargets(asking),
    useQueryTargets(asking),
    useSubscriptionTargets(asking),
    elsewhere,
    useHostTargets(asking),
    usePeopleTargets(asking),
    useSettingTargets(asking),
    useModelTargets(asking),
  ]
  const isSearching = sent !== typed.trim() || kinds.some((kind) => kind.isSearching)
  return {
    groups: inOrder(kinds),
    isSearching,
    isPending: isSearching && !kinds.some((kind) => isClose(bestRank(kind))),
  }
}
