import {
  audit,
  businesses,
  type Endpoint,
  hosts,
  model,
  privileges,
  queries,
  sets,
  subscriptions,
  topology,
} from '@mainline/contract'
import { useNavigate } from '@tanstack/react-router'
import { canSignOut, type Session, signOut, useSession } from '../../../api/session.ts'
import { Icon, type IconName } from '../../../kit/Icon.tsx'
import { useWords } from '../../../words/index.ts'
import { type ActionId, otherWords, paletteWords } from '../../../words/palette.ts'
import { openDialog } from '../../dialogs/opened.ts'
import { showStep, tourSteps } from '../../tour/step.ts'
import { type Asking, bestTargets, type FoundKind, type Target } from '../targets.ts'

const most = 8

interface Action {
  readonly icon: IconName
  /** Absent: any caller may. In the current business, if there is one. */
  readonly operation?: Endpoint
  go(): void
}

/** Actions of the current state: one that cannot be done now, such as signing out of an open service, is not among them. */
export function useActionTargets({ business, sought }: Asking): FoundKind {
  const words = useWords(paletteWords)
  const session = useSession().data
  const anywhere = useActionsAnywhere()
  const inBusiness = useActionsIn(String(business))
  const about = business === null ? {} : { bk_biz_id: business }
  const offered: Partial<Record<ActionId, Action>> = {
    ...anywhere,
    ...(business !== null && inBusiness),
    ...ofSession(session),
  }
  const targets = Object.entries(offered).map(([id, { operation, icon, go }]): Target => {
    const action = id as ActionId
    return {
      id: `action ${id}`,
      name: words.actions[action].name,
      aliases: otherWords('actions', action),
      sign: <Icon name={icon} />,
      ...(operation && { needs: { operation, about } }),
      go,
    }
  })
  const found = bestTargets(targets, sought, sought.text ? most : targets.length)
  return { id: 'actions', name: words.groups.actions, found }
}

function useActionsAnywhere(): Partial<Record<ActionId, Action>> {
  const navigate = useNavigate()
  return {
    createBusiness: { icon: 'plus', operation: businesses.createBusiness, go: () => openDialog('business') },
    addHosts: { icon: 'plus', operation: hosts.addHosts, go: () => openDialog('hosts') },
    newSubscription: {
      icon: 'plus',
      operation: subscriptions.subscribeEvent,
      go: () => navigate({ to: '/events/new' }),
    },
    newUserGroup: { icon: 'plus', operation: privileges.createUserGroup, go: () => openDialog('userGroup') },
    newObject: { icon: 'plus', operation: model.createObject, go: () => openDialog('object') },
    addAttribute: { icon: 'model', operation: model.createAttribute, go: () => navigate({ to: '/model' }) },
    changeLevels: { icon: 'model', operation: topology.createLevel, go: () => navigate({ to: '/model' }) },
    explain: { icon: 'privileges', go: () => navigate({ to: '/privileges', search: { tab: 'explain' } }) },
    roles: { icon: 'privileges', go: () => navigate({ to: '/privileges', search: { tab: 'roles' } }) },
    userGroups: {
      icon: 'privileges',
      operation: privileges.searchUserGroup,
      go: () => navigate({ to: '/privileges', search: { tab: 'groups' } }),
    },
    pool: { icon: 'hosts', go: () => navigate({ to: '/hosts', search: { scope: 'pool' } }) },
    archived: { icon: 'audit', go: () => navigate({ to: '/archived' }) },
    liveEvents: { icon: 'events', go: () => navigate({ to: '/events', search: { tab: 'live' } }) },
    undo: { icon: 'audit', go: () => navigate({ to: '/audit' }) },
    verify: { icon: 'audit', operation: audit.getLogIntegrity, go: () => navigate({ to: '/audit' }) },
    cloudAreas: {
      icon: 'instances',
      go: () => navigate({ to: '/instances/$object', params: { object: 'plat' } }),
    },
    tour: { icon: 'play', go: () => showStep(tourSteps[0]) },
    docs: { icon: 'external', go: () => void open('/docs', '_blank', 'noreferrer') },
  }
}

function useActionsIn(business: string): Partial<Record<ActionId, Action>> {
  const navigate = useNavigate()
  const tree = (search: { tab?: string; as_of?: string }) =>
    navigate({ to: '/topology/$business', params: { business }, search })
  return {
    newQuery: {
      icon: 'plus',
      operation: queries.createQuery,
      go: () => navigate({ to: '/queries/$business', params: { business }, search: {} }),
    },
    addNode: { icon: 'topology', operation: sets.createSet, go: () => tree({}) },
    people: { icon: 'user', go: () => tree({ tab: 'people' }) },
    past: { icon: 'audit', go: () => tree({ as_of: '-0s' }) },
    compare: { icon: 'audit', go: () => navigate({ to: '/compare', search: { business } }) },
    archiveBusiness: { icon: 'bin', operation: businesses.archiveBusiness, go: () => tree({}) },
  }
}

function ofSession(session: Session | undefined): Partial<Record<ActionId, Action>> {
  const actAs: Action = { icon: 'user', go: () => openDialog('act') }
  const leave: Action = { icon: 'close', go: () => void signOut(session) }
  return { ...(session?.auth === 'open' && { actAs }), ...(canSignOut(session) && { signOut: leave }) }
}
