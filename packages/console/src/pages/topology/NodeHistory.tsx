import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Skeleton } from '../../kit/Blank.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { useWords } from '../../words/index.ts'
import { topology } from '../../words/topology.ts'
import { findRecords } from '../audit/questions.ts'
import { Timeline } from '../audit/Timeline.tsx'
import type { Place } from './tree.ts'

const latest = 20

/** The audit records of this node. */
export function NodeHistory({ business, place }: { business: number; place: Place }) {
  const words = useWords(topology)
  const found = useQuery(findRecords({ bk_biz_id: business, op_target: place.object, inst_id: place.id }, 0, latest))
  if (found.error) return <Failure error={found.error} retry={found.refetch} />
  if (!found.data) return <Skeleton lines={4} height={26} />
  if (found.data.count === 0) return <p className="quiet history">{words.noHistory}</p>
  return (
    <div className="history">
      <Timeline records={found.data.records} />
      <Link
        to="/audit"
        search={{ view: 'records', business: String(business), target: place.object, instance: String(place.id) }}
      >
        {words.allHistory}
      </Link>
    </div>
  )
}
