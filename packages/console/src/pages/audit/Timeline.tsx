import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Disclosure, DisclosurePanel, Button as Pressable } from 'react-aria-components'
import { useBusinessNames } from '../../api/businesses.ts'
import { attributesOf } from '../../api/model.ts'
import { Button } from '../../kit/Button.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { type Kind, kindOf, Station } from '../../kit/Station.tsx'
import { askUndo } from '../../kit/undo.ts'
import { audit } from '../../words/audit.ts'
import { common } from '../../words/common.ts'
import { clock, day, useWords } from '../../words/index.ts'
import { keyOf } from '../topology/tree.ts'
import { type AuditRecord, type Difference, differencesOf, shownValue, subjectOf } from './diff.ts'
import { looksOf } from './questions.ts'
import './audit.css'

interface TimelineProps {
  records: readonly AuditRecord[]
  /** Expanded ones, by `idOf`; without it each entry keeps this state itself. */
  open?: string | undefined
  onOpen?: (id: string | undefined) => void
}

/** Records have no id; request, instance and time identify them sufficiently. */
export const idOf = (record: AuditRecord) =>
  `${record.request_id}.${record.bk_obj_id}.${record.inst_id}.${record.op_type}`

/** With keys that stay when newer records arrive. Records of a request may be alike in everything. */
function keyed(records: readonly AuditRecord[]) {
  const seen = new Map<string, number>()
  return records.map((record) => {
    const id = idOf(record)
    const nth = seen.get(id) ?? 0
    seen.set(id, nth + 1)
    return { key: `${id} ${nth}`, record }
  })
}

/** A timeline of records by day. */
export function Timeline({ records, open, onOpen }: TimelineProps) {
  const businessOf = useBusinessNames(records.map((record) => record.bk_biz_id))
  const days = Map.groupBy(records, (record) => day(record.op_time))
  return (
    <div className="timeline">
      {[...days].map(([name, ofDay]) => (
        <section key={name}>
          <h3>{name}</h3>
          <ol>
            {keyed(ofDay).map(({ key, record }) => (
              <li key={key} className={`moment ${looksOf([record.op_type])}`}>
                <Entry
                  record={record}
                  business={businessOf(record.bk_biz_id)}
                  {...(onOpen && {
                    isExpanded: open === idOf(record),
                    onExpandedChange: (expanded: boolean) => onOpen(expanded ? idOf(record) : undefined),
                  })}
                />
              </li>
            ))}
          </ol>
        </section>
      ))}
    </div>
  )
}

/** The records of one change, below it. */
export const Records = ({ records, areOpen }: { records: readonly AuditRecord[]; areOpen: boolean }) => (
  <ul>
    {keyed(records).map(({ key, record }) => (
      <li key={key}>
        <Entry record={record} business={undefined} isPart {...(areOpen && { defaultExpanded: true })} />
      </li>
    ))}
  </ul>
)

/** Objects outside of businesses are shown beside the main line. */
const kindIn = (record: AuditRecord): Kind =>
  record.op_target === 'model' || (record.op_target === 'object' && record.bk_biz_id === 0)
    ? 'other'
    : kindOf(record.bk_obj_id)

/** Changes of subscriptions cannot be undone. */
const isUndoable = ({ op_target: target, txn_id }: AuditRecord) =>
  txn_id !== '' && !['subscription', 'history'].includes(target)

interface EntryProps {
  record: AuditRecord
  business: string | undefined
  /** Below its change, which tells who, when and why, and can be undone. */
  isPart?: boolean
  defaultExpanded?: boolean
  isExpanded?: boolean
  onExpandedChange?: (expanded: boolean) => void
}

function Entry({ record, business, isPart = false, ...expansion }: EntryProps) {
  const words = useWords(audit)
  const changed = differencesOf(record)
  return (
    <Disclosure className="entry" {...expansion}>
      <Pressable slot="trigger" className="entry-head moment-head">
        <time dateTime={record.op_time}>{clock(record.op_time)}</time>
        <Station object={record.bk_obj_id} kind={kindIn(record)} />
        <span className="entry-what truncate">{record.op_desc}</span>
        <strong className="truncate">{subjectOf(record)}</strong>
        <span className="entry-changed truncate">
          {record.op_type === 2 ? changed.map((each) => fieldName(each, words)).join(', ') : ''}
        </span>
        <span className="entry-where truncate">{record.op_target === 'biz' ? '' : business}</span>
        <span className="entry-who">
          <Icon name="user" size={14} />
          <span className="truncate">{record.operator}</span>
        </span>
        <Icon name="chevron" size={14} />
      </Pressable>
      <DisclosurePanel className="entry-body">
        <Differences record={record} />
        <p className="entry-foot">
          <Subject record={record} />
          {!isPart && record.op_reason && (
            <span>
              {words.reason} <q>{record.op_reason}</q>
            </span>
          )}
          {!isPart && (
            <span>
              {words.request} <code>{record.request_id}</code>
            </span>
          )}
          {record.undoes.length > 0 && <span>{words.undoes(record.undoes.length)}</span>}
          {!isPart && isUndoable(record) && (
            <Button icon="again" onPress={() => askUndo({ txn_id: record.txn_id })}>
              {record.op_type === 3 ? words.restore : words.undo}
            </Button>
          )}
        </p>
      </DisclosurePanel>
    </Disclosure>
  )
}

/** Objects whose attributes are defined in the model. */
const hasModel = ({ op_target: target }: AuditRecord) => ['biz', 'set', 'module', 'host', 'object'].includes(target)

/** Fields that are not attributes of the model are named by the console. */
const fieldName = ({ id, name }: Difference, { fields }: typeof audit.en): string =>
  name === id ? (new Map(Object.entries(fields)).get(id) ?? id) : name

/** The changed fields by the names that the model, or the console, has for them. */
function useDifferences(record: AuditRecord): readonly Difference[] {
  const words = useWords(audit)
  const general = useWords(common)
  const attributes = useQuery({ ...attributesOf(record.bk_obj_id), enabled: hasModel(record) }).data
  const attributeOf = (id: string) => attributes?.find((each) => each.bk_property_id === id)
  return differencesOf(record, (id, value) => shownValue(attributeOf(id), value, general)).map((each) => ({
    ...each,
    name: attributeOf(each.id)?.bk_property_name ?? fieldName(each, words),
  }))
}

/** The changed fields, before and after side by side. */
export function Differences({ record }: { record: AuditRecord }) {
  const words = useWords(audit)
  const { unset } = useWords(common)
  const changed = useDifferences(record)
  // The versions of an instance do not repeat what a deletion has removed.
  if (changed.length === 0) return record.op_type === 3 ? null : <p className="quiet">{words.noDifference}</p>
  const cell = (text: string | null, side: 'before' | 'after') => (
    <td className={text ? side : ''}>{text === '' ? <span className="quiet">{unset}</span> : text}</td>
  )
  return (
    <table className="diff">
      <thead>
        <tr>
          <th scope="col">{words.attribute}</th>
          <th scope="col">{words.before}</th>
          <th scope="col">{words.after}</th>
        </tr>
      </thead>
      <tbody>
        {changed.map((each) => (
          <tr key={each.id}>
            <th scope="row">{each.name}</th>
            {cell(each.before, 'before')}
            {cell(each.after, 'after')}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A link to the record's instance, if the console has a page for it and it still exists. */
function Subject({ record }: { record: AuditRecord }) {
  const words = useWords(audit)
  const { op_target: target, bk_obj_id: object, bk_biz_id: business } = record
  if (record.op_type === 3) return <span className="quiet">{words.gone}</span>
  if (target === 'host') {
    return (
      <Link to="/hosts/$host" params={{ host: String(record.inst_id) }}>
        {words.openHost}
      </Link>
    )
  }
  if (target === 'model') return <Link to="/model">{words.openModel}</Link>
  if (target === 'userapi') {
    return (
      <Link to="/queries/$business" params={{ business: String(business) }} search={{ query: record.ext_key }}>
        {words.openQuery}
      </Link>
    )
  }
  if (target === 'subscription') {
    return (
      <Link to="/events/$subscription" params={{ subscription: String(record.inst_id) }}>
        {words.openSubscription}
      </Link>
    )
  }
  const group = record.content.cur_data?.group_id
  if (typeof group === 'string') {
    return (
      <Link to="/privileges" search={{ tab: 'groups', group }}>
        {words.openGroup}
      </Link>
    )
  }
  if (target === 'privilege') return <Link to="/privileges">{words.openRoles}</Link>
  const inTree = business > 0 && (target === 'biz' || target === 'set' || target === 'module' || target === 'object')
  if (!inTree) return null
  return (
    <Link
      to="/topology/$business"
      params={{ business: String(business) }}
      search={{ node: keyOf(target === 'object' ? object : target, record.inst_id) }}
    >
      {words.openObject}
    </Link>
  )
}
