import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { Check } from '../../kit/Check.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { Pager } from '../../kit/Pager.tsx'
import { Station } from '../../kit/Station.tsx'
import { askUndo } from '../../kit/undo.ts'
import { audit } from '../../words/audit.ts'
import { moment, useWords } from '../../words/index.ts'
import { past } from '../../words/past.ts'
import { topology } from '../../words/topology.ts'
import { Timeline } from '../audit/Timeline.tsx'
import { deletionsBelow, versionsOf } from '../audit/versions.ts'
import { treeOf } from './questions.ts'
import { keyOf, type Place } from './tree.ts'

const pageSize = 20

/** The history of this node and of everything that was below it, also of what has been deleted there. */
export function NodeHistory({ business, place }: { business: number; place: Place }) {
  const words = useWords(topology)
  const { compareMoments } = useWords(past)
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
        <Link to="/compare" search={{ business: String(business), object: place.object, instance: String(place.id) }}>
          {compareMoments}
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
          {below && <DeletedHere business={business} place={place} />}
          <Timeline records={found.data.records} />
          {found.data.count > pageSize && (
            <Pager start={start} limit={pageSize} count={found.data.count} onStart={setStart} />
          )}
        </>
      )}
    </div>
  )
}

/** Deletions that have not been undone, with the way to undo them. */
function DeletedHere({ business, place }: { business: number; place: Place }) {
  const words = useWords(past)
  const { restore } = useWords(audit)
  const tree = useQuery(treeOf(business)).data
  const found = useQuery(deletionsBelow({ bk_obj_id: place.object, bk_inst_id: place.id })).data
  const gone = found?.filter(([, versions]) =>
    versions.some(({ bk_obj_id: object, bk_inst_id: id }) => !tree?.byKey.has(keyOf(object, id))),
  )
  if (!tree || !gone?.length) return null
  return (
    <section className="deleted-here" aria-labelledby="deleted-here">
      <h3 id="deleted-here">{words.deletedHere}</h3>
      <ul>
        {gone.map(([txn, [first, ...others]]) =>
          first ? (
            <li key={txn}>
              <Station object={first.bk_obj_id} />
              <span className="truncate">
                {first.name} {others.length > 0 && <span className="quiet">{words.more(others.length)}</span>}
              </span>
              <span className="quiet truncate">
                {first.operator}, {moment(first.op_time)}
              </span>
              <Button icon="again" onPress={() => askUndo({ txn_id: txn })}>
                {restore}
              </Button>
            </li>
          ) : null,
        )}
      </ul>
    </section>
  )
}
