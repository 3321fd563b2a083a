import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useChanged } from '../../kit/changed.ts'
import { number, useWords } from '../../words/index.ts'
import { overview } from '../../words/overview.ts'
import { hostCountIn } from './questions.ts'

const idOf = ({ id }: { id: string }) => id

/** A summary of the estate: hosts, and how many are in use. */
export function Figures() {
  const words = useWords(overview)
  const all = useQuery(hostCountIn('all')).data
  const pool = useQuery(hostCountIn('pool')).data
  const idle = useQuery(hostCountIn('idle')).data
  const fault = useQuery(hostCountIn('fault')).data
  const known = all !== undefined && pool !== undefined && idle !== undefined && fault !== undefined
  const working = known ? all - pool - idle - fault : undefined
  const parts = [
    { id: 'working', name: words.working, count: working },
    { id: 'idle', name: words.idle, count: idle },
    { id: 'fault', name: words.fault, count: fault },
    { id: 'pool', name: words.pool, count: pool },
  ]
  const changed = useChanged('figures', known ? parts : undefined, idOf)
  return (
    <section className="estate" aria-label={words.hosts}>
      <div className="estate-total">
        <span>{words.hosts}</span>
        <strong>{all === undefined ? ' ' : number(all)}</strong>
      </div>
      <div className="estate-parts">
        <div className="estate-bar" aria-hidden="true">
          {known &&
            parts.map(
              ({ id, count = 0 }) =>
                count > 0 && <span key={id} className={id} style={{ width: `${(count / all) * 100}%` }} />,
            )}
        </div>
        <dl>
          {parts.map((part) => (
            <div key={part.id} className={changed.has(part.id) ? `${part.id} changed` : part.id}>
              <dt>
                {part.id === 'pool' ? (
                  <Link to="/hosts" search={{ scope: 'pool' }}>
                    {part.name}
                  </Link>
                ) : (
                  part.name
                )}
              </dt>
              <dd>{part.count === undefined ? ' ' : number(part.count)}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  )
}
