import { useQuery } from '@tanstack/react-query'
import { hosts as hostWords } from '../../words/hosts.ts'
import { useWords } from '../../words/index.ts'
import { hostsInTree } from '../topology/questions.ts'
import { type HostRow, placeOf } from './questions.ts'

const mostShown = 5

interface MovePlanProps {
  business: number
  rows: readonly HostRow[]
  into: ReadonlySet<number>
}

/** Which modules the hosts leave, and which of these have no hosts afterwards. */
export function MovePlan({ business, rows, into }: MovePlanProps) {
  const words = useWords(hostWords)
  const counts = useQuery(hostsInTree(business)).data
  const left = new Map<number, { name: string; hosts: number }>()
  for (const module of rows.flatMap((row) => row.module)) {
    if (into.has(module.bk_module_id)) continue
    const known = left.get(module.bk_module_id) ?? { name: placeOf(module), hosts: 0 }
    left.set(module.bk_module_id, { ...known, hosts: known.hosts + 1 })
  }
  if (left.size === 0) return null
  const ordered = [...left].sort(([, one], [, other]) => other.hosts - one.hosts)
  return (
    <ul className="move-plan" aria-label={words.plan}>
      {ordered.slice(0, mostShown).map(([id, { name, hosts }]) => (
        <li key={id}>
          {words.leave(hosts, name)}
          {counts?.({ object: 'module', id }) === hosts && <span className="warning">{words.leftEmpty}</span>}
        </li>
      ))}
      {ordered.length > mostShown && <li className="quiet">{words.leaveMore(ordered.length - mostShown)}</li>}
    </ul>
  )
}
