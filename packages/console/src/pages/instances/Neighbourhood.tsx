import { Station } from '../../kit/Station.tsx'
import { useWords } from '../../words/index.ts'
import { instances } from '../../words/instances.ts'
import { EndLink } from './EndLink.tsx'
import type { NeighbourGroup, Neighbourhood as Neighbours } from './questions.ts'

const onLine = ['biz', 'set', 'module', 'host']

/**
 * Sources on the left, targets on the right, and in a box what belongs to one object: two hundred names stay readable, and each is
 * a link that the keyboard reaches.
 */
export function Neighbourhood({ name, neighbours }: { name: string; neighbours: Neighbours }) {
  const words = useWords(instances)
  return (
    <section className="neighbourhood" aria-label={words.neighbourhood}>
      <Side label={words.sources} nothing={words.noSources} groups={neighbours.prev} side="sources" />
      <div className="centre">
        <strong className="truncate">{name}</strong>
      </div>
      <Side label={words.targets} nothing={words.noTargets} groups={neighbours.next} side="targets" />
    </section>
  )
}

interface SideProps {
  label: string
  nothing: string
  groups: readonly NeighbourGroup[]
  side: 'sources' | 'targets'
}

function Side({ label, nothing, groups, side }: SideProps) {
  const words = useWords(instances)
  return (
    <section className={`neighbours ${side}${groups.length === 0 ? ' none' : ''}`} aria-label={label}>
      <h3>{label}</h3>
      {groups.length === 0 && <p className="quiet">{nothing}</p>}
      {groups.map((group) => (
        <section key={group.bk_obj_id} className="neighbour-group" aria-label={group.bk_obj_name}>
          <h4>
            <Station object={group.bk_obj_id} {...(!onLine.includes(group.bk_obj_id) && { kind: 'other' })} />
            {group.bk_obj_name} <span className="quiet">{group.count}</span>
          </h4>
          <ul>
            {group.children.map((each) => (
              <li key={each.asso_id}>
                <EndLink end={each} />
              </li>
            ))}
          </ul>
          {group.count > group.children.length && (
            <p className="quiet">{words.more(group.count - group.children.length)}</p>
          )}
        </section>
      ))}
    </section>
  )
}
