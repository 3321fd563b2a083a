import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Disclosure, DisclosurePanel, Button as Pressable } from 'react-aria-components'
import { useBusinessNames } from '../../api/businesses.ts'
import { Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { useChanged } from '../../kit/changed.ts'
import { Failure } from '../../kit/Failure.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { askUndo } from '../../kit/undo.ts'
import { audit } from '../../words/audit.ts'
import { clock, day, useWords } from '../../words/index.ts'
import { type Change, findRecords, looksOf } from './questions.ts'
import { Records } from './Timeline.tsx'

/** Records of a change that are shown with their differences. */
const mostRecords = 50

const txnOf = ({ txn_id }: Change) => txn_id

interface ChangesProps {
  /** Identifies the list: changes that are added to it are marked. Undefined while another one is loading. */
  list: string | undefined
  changes: readonly Change[]
  /** The expanded one, by its transaction. */
  open: string | undefined
  onOpen(txn: string | undefined): void
}

/** A timeline of changes by day. Each is what one request did in one transaction. */
export function Changes({ list, changes, open, onOpen }: ChangesProps) {
  const businessOf = useBusinessNames(changes.flatMap(({ records }) => records.map((each) => each.bk_biz_id)))
  const days = Map.groupBy(changes, (change) => day(change.op_time))
  const added = useChanged(list ?? '', list === undefined ? undefined : changes, txnOf)
  return (
    <div className="timeline">
      {[...days].map(([name, ofDay]) => (
        <section key={name}>
          <h3>{name}</h3>
          <ol>
            {ofDay.map((change) => (
              <li
                key={change.txn_id}
                className={`moment ${looksOf(change.counts.map((each) => each.op_type))}${added.has(change.txn_id) ? ' changed' : ''}`}
              >
                <ChangeEntry
                  change={change}
                  businesses={placesOf(change, businessOf)}
                  isExpanded={open === change.txn_id}
                  onExpandedChange={(expanded) => onOpen(expanded ? change.txn_id : undefined)}
                />
              </li>
            ))}
          </ol>
        </section>
      ))}
    </div>
  )
}

const placesOf = ({ records }: Change, nameOf: (id: number) => string | undefined): string =>
  [...new Set(records.map((each) => nameOf(each.bk_biz_id)))].filter(Boolean).join(', ')

/** Changes of these kinds cannot be undone. */
const final = ['subscription', 'history']
const isUndoable = ({ counts }: Change) => counts.every(({ bk_obj_id }) => !final.includes(bk_obj_id))

interface ChangeEntryProps {
  change: Change
  businesses: string
  isExpanded: boolean
  onExpandedChange(expanded: boolean): void
}

function ChangeEntry({ change, businesses, ...expansion }: ChangeEntryProps) {
  const words = useWords(audit)
  return (
    <Disclosure className="entry" {...expansion}>
      <Pressable slot="trigger" className="entry-head change-head">
        <time dateTime={change.op_time}>{clock(change.op_time)}</time>
        <span className="change-what">
          <span className="truncate">{change.summary}</span>
          {change.op_reason && <q className="quiet truncate">{change.op_reason}</q>}
        </span>
        <span className="entry-where truncate">{businesses}</span>
        <span className="entry-who">
          <Icon name="user" size={14} />
          <span className="truncate">{change.operator}</span>
        </span>
        <Icon name="chevron" size={14} />
      </Pressable>
      <DisclosurePanel className="entry-body">
        {expansion.isExpanded && <ChangedRecords change={change} />}
        <p className="entry-foot">
          <span>
            {words.request} <code>{change.request_id}</code>
          </span>
          {isUndoable(change) && (
            <Button icon="again" onPress={() => askUndo({ txn_id: change.txn_id })}>
              {words.undo}
            </Button>
          )}
        </p>
      </DisclosurePanel>
    </Disclosure>
  )
}

/** The records of a change. One alone shows its differences. */
function ChangedRecords({ change: { txn_id: txn, record_count: count } }: { change: Change }) {
  const words = useWords(audit)
  const found = useQuery(findRecords({ txn_id: txn }, 0, mostRecords))
  if (found.error) return <Failure error={found.error} retry={found.refetch} />
  if (!found.data) return <Skeleton lines={Math.min(count, 5)} height={24} />
  return (
    <div className="changed-records">
      <Records records={found.data.records} areOpen={found.data.records.length === 1} />
      {count > found.data.records.length && (
        <Link to="/audit" search={{ view: 'records', txn }}>
          {words.allRecords(count)}
        </Link>
      )}
    </div>
  )
}
