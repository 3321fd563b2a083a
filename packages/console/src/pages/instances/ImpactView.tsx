import { associations } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { Skeleton } from '../../kit/Blank.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { Select } from '../../kit/Select.tsx'
import { useWords } from '../../words/index.ts'
import { instances } from '../../words/instances.ts'
import { EndLink } from './EndLink.tsx'
import { type Direction, type Impact, impactOf } from './questions.ts'
import './instances.css'

const directions = ['down', 'up', 'both'] as const satisfies readonly Direction[]
const depths = Array.from({ length: associations.deepestImpact }, (_, step) => step + 1)
const usualDepth = 3

interface ImpactViewProps {
  object: string
  id: number
  /** As the address has them. */
  direction: string | undefined
  depth: string | undefined
  onChange(next: { direction: string; depth: string }): void
}

/** All that is reached from an instance, nearest first, each with its path. */
export function ImpactView({ object, id, onChange, ...view }: ImpactViewProps) {
  const words = useWords(instances)
  const direction = directions.find((each) => each === view.direction) ?? 'down'
  const depth = depths.find((each) => String(each) === view.depth) ?? usualDepth
  const found = useQuery({ ...impactOf(object, id, direction, depth), placeholderData: (before) => before })
  return (
    <>
      <div className="instance-tools">
        <Select
          label={words.direction}
          bare
          value={direction}
          onChange={(next) => onChange({ direction: next, depth: String(depth) })}
          choices={directions.map((each) => ({ id: each, name: words.directions[each] }))}
        />
        <Select
          label={words.depth}
          bare
          value={String(depth)}
          onChange={(next) => onChange({ direction, depth: next })}
          choices={depths.map((each) => ({ id: String(each), name: words.steps(each) }))}
        />
        {found.data && <span className="quiet">{words.reached(found.data.count)}</span>}
      </div>
      {found.error && <Failure error={found.error} retry={found.refetch} />}
      {!found.data && !found.error && <Skeleton lines={6} height={24} />}
      {found.data?.truncated && <p className="quiet">{words.truncated}</p>}
      {found.data?.count === 0 && <p className="quiet">{words.noImpact}</p>}
      {found.data && found.data.count > 0 && <List impact={found.data} />}
    </>
  )
}

function List({ impact }: { impact: Impact }) {
  const words = useWords(instances)
  return (
    <div className="wide-table">
      <table className="table impact">
        <thead>
          <tr>
            <th scope="col" className="number">
              {words.depth}
            </th>
            <th scope="col">{words.instance}</th>
            <th scope="col">{words.object}</th>
            <th scope="col">{words.path}</th>
          </tr>
        </thead>
        <tbody>
          {impact.info.map((each) => (
            <tr key={`${each.direction} ${each.bk_obj_id} ${each.bk_inst_id}`}>
              <td className="number">{each.depth}</td>
              <th scope="row">
                <EndLink end={each} business={each.bk_biz_id} />
              </th>
              <td>
                <code>{each.bk_obj_id}</code>
              </td>
              <td>
                <ol className="impact-path">
                  {[impact.start, ...each.path].map((step) => (
                    <li key={`${step.bk_obj_id} ${step.bk_inst_id}`}>{step.bk_inst_name || step.bk_inst_id}</li>
                  ))}
                </ol>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
