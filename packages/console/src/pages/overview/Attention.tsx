import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { retryAll } from '../../api/ask.ts'
import { isDenied } from '../../api/failures.ts'
import { findNodes } from '../../api/nodes.ts'
import { Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { Station } from '../../kit/Station.tsx'
import { useWords } from '../../words/index.ts'
import { overview } from '../../words/overview.ts'
import { allSubscriptions } from '../events/questions.ts'
import { keyOf } from '../topology/tree.ts'
import { emptyModules, faultyHosts, longIdle, type Matter, troubledSubscriptions } from './attention.ts'
import { brokenHosts, idleDays, idleHosts, movesOf } from './questions.ts'

const atFirst = 6
const mostModules = 200

/** Problems that need a user's attention, the worst first, each with a link. */
export function Attention() {
  const words = useWords(overview)
  const [all, setAll] = useState(false)
  const { matters, unseen, denied, isPending, error } = useMatters()
  const shown = all ? matters : matters.slice(0, atFirst)
  return (
    <section className="card" aria-labelledby="attention">
      <header>
        <h2 id="attention">{words.attention}</h2>
      </header>
      {error && <Failure error={error} retry={retryAll} />}
      {isPending && matters.length === 0 && <Skeleton lines={3} height={18} />}
      {!isPending && !error && matters.length === 0 && (
        <p className="all-well">
          <Icon name={denied.length > 0 ? 'info' : 'check'} />
          {denied.length > 0 ? words.nothingVisible : words.nothing}
        </p>
      )}
      <ul className="matters">
        {shown.map((matter) => (
          <li key={idOf(matter)}>
            <MatterLink matter={matter} />
          </li>
        ))}
      </ul>
      {matters.length > shown.length && (
        <Button look="quiet" onPress={() => setAll(true)}>
          {words.more(matters.length - shown.length)}
        </Button>
      )}
      {denied.length > 0 && (
        <p className="quiet">{words.notShown(denied.map((part) => words.unseenParts[part]).join(words.comma))}</p>
      )}
      {unseen.idle > 0 && <p className="quiet">{words.unseenIdle(unseen.idle)}</p>}
      {unseen.modules > 0 && <p className="quiet">{words.unseenModules(unseen.modules)}</p>}
    </section>
  )
}

function useMatters() {
  const subscriptions = useQuery(allSubscriptions())
  const modules = useQuery({ ...findNodes({ without_hosts: true }, mostModules), staleTime: 60_000 })
  const idle = useQuery({ ...idleHosts(), staleTime: 60_000 })
  const ids = idle.data?.rows.map((row) => row.host.bk_host_id) ?? []
  // The audit log tells since when a host has been idle, so users who may not read it do not see this.
  const moves = useQuery({ ...movesOf(ids), staleTime: 60_000, enabled: ids.length > 0 })
  const broken = useQuery({ ...brokenHosts(), staleTime: 60_000 })
  const parts = { subscriptions, modules, hosts: broken, ...(ids.length > 0 && { moves }) }
  const asked = [idle, ...Object.values(parts)]
  const failed = asked.find(({ error }) => error && !isDenied(error))
  // The count is marked if there are more than were requested.
  const unseen = {
    idle: moves.data && idle.data ? idle.data.count - idle.data.rows.length : 0,
    modules: modules.data ? modules.data.count - modules.data.nodes.length : 0,
  }
  return {
    matters: [
      ...troubledSubscriptions(subscriptions.data ?? []),
      ...faultyHosts(broken.data?.rows ?? [], (broken.data?.count ?? 0) > (broken.data?.rows.length ?? 0)),
      ...(moves.data ? longIdle(idle.data?.rows ?? [], moves.data, unseen.idle > 0) : []),
      ...emptyModules(modules.data?.nodes ?? [], unseen.modules > 0),
    ],
    unseen,
    /** What the caller may not see. */
    denied: (Object.keys(parts) as (keyof typeof parts)[]).filter((part) => isDenied(parts[part]?.error)),
    isPending: asked.some((each) => each.isPending),
    error: failed?.error ?? null,
  }
}

const idOf = (matter: Matter) =>
  `${matter.kind} ${'subscription' in matter ? matter.subscription.subscription_id : matter.business.id}`

function MatterLink({ matter }: { matter: Matter }) {
  const words = useWords(overview)
  if ('subscription' in matter) {
    const { subscription_id, subscription_name: name, state_reason, dead_letters } = matter.subscription
    return (
      <Link
        to="/events/$subscription"
        params={{ subscription: String(subscription_id) }}
        search={matter.kind === 'dead' ? { tab: 'dead' } : {}}
        className="matter"
      >
        <Inside
          sign={<Icon name="events" />}
          look={matter.kind === 'dead' ? 'warn' : 'bad'}
          aside={matter.kind === 'dead' ? '' : state_reason}
        >
          {matter.kind === 'dead' ? words.dead(name, dead_letters) : words[matter.kind](name)}
        </Inside>
      </Link>
    )
  }
  const module = matter.kind !== 'empty' ? matter.module : (matter.modules[0]?.bk_inst_id ?? 0)
  return (
    <Link
      to="/topology/$business"
      params={{ business: String(matter.business.id) }}
      search={{ node: keyOf('module', module) }}
      className="matter"
    >
      <Inside
        sign={<Station object={matter.kind === 'empty' ? 'module' : 'host'} size={12} />}
        look={matter.kind === 'fault' ? 'bad' : ''}
        aside={matter.business.name}
      >
        {matter.kind === 'empty'
          ? words.emptyModules(matter.modules[0]?.bk_inst_name ?? '', matter.modules.length - 1, matter.atLeast)
          : matter.kind === 'fault'
            ? words.faulty(matter.hosts, matter.atLeast)
            : words.idleLong(matter.hosts, idleDays, matter.atLeast)}
      </Inside>
    </Link>
  )
}

interface InsideProps {
  sign: ReactNode
  look: string
  aside: string
  children: ReactNode
}

const Inside = ({ sign, look, aside, children }: InsideProps) => (
  <>
    <span className={`matter-sign ${look}`}>{sign}</span>
    <span className="truncate">{children}</span>
    <span className="aside truncate">{aside}</span>
  </>
)
