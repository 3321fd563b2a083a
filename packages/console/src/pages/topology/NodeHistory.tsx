import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Skeleton } from '../../kit/Blank.tsx'
import { Check } from '../../kit/Check.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { Pager } from '../../kit/Pager.tsx'
import { useWords } from '../../words/index.ts'
import { topology } from '../../words/topology.ts'
import { Timeline } from '../audit/Timeline.tsx'
import { versionsOf } from '../audit/versions.ts'
import type { Place } from './tree.ts'

const pageSize = 20

/** The history of this node and of everything that was below it, also of what has been deleted there. */
export function NodeHistory({ business, place }: { business: number; place: Place }) {
  const words = useWords(topology)
  const [below, setBelow] = useState(true)
  const [start, setStart] = useState(0)
  const found = useQuery(versionsOf({ bk_obj_id: place.object, bk_inst_id: place.id }, below, start, pageSize))
  return (
    <div className="history">
      <div className="history-tools">
        <Check
          isSelected={below}
          onChange={(on) => {
            setBelow(on)
            setStart(0)
          }}
        >
          {words.historyBelow}
        </Check>
        <Link
          to="/audit"
          search={{ view: 'records', business: String(business), target: place.object, instance: String(place.id) }}
        >
          {words.allHistory}
        </Link>
      </div>
      {found.error ? (
        <Failure error={found.error} retry={found.refetch} />
      ) : !found.data ? (
        <Skeleton lines={4} height={26} />
      ) : found.data.count === 0 ? (
        <p className="quiet">{words.noHistory}</p>
      ) : (
        <>
          <Timeline records={found.data.records} />
          {found.data.count > pageSize && (
            <Pager start={start} limit={pageSize} count={found.data.count} onStart={setStart} />
          )}
        </>
      )}
    </div>
  )
}
