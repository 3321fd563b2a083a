import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, useNavigate } from '@tanstack/react-router'
import { oneBusiness } from '../../api/businesses.ts'
import { Empty, Skeleton } from '../../kit/Blank.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { TextField } from '../../kit/Field.tsx'
import { Pager, startIn } from '../../kit/Pager.tsx'
import { PageTitle } from '../../kit/PageTitle.tsx'
import { Station } from '../../kit/Station.tsx'
import { moment as shownTime, useWords } from '../../words/index.ts'
import { past } from '../../words/past.ts'
import { instantOf, localTimeOf } from '../../zone.ts'
import { Differences } from '../audit/Timeline.tsx'
import { versionsOf } from '../audit/versions.ts'
import { oneQuery } from '../queries/questions.ts'
import { bodyOfDiff, type Compared, type Diff, differencesBetween, diffPageSize, recordOfRow } from './compare.ts'
import { timeOf } from './times.ts'
import './past.css'

export const route = createLazyRoute('/compare')({ component: Compare })

/** Two moments of a business, a query, or an instance with what is below it: what differs, side by side. */
function Compare() {
  const words = useWords(past)
  const { start: page, ...compared } = route.useSearch()
  const start = startIn(page)
  const navigate = useNavigate({ from: '/compare' })
  const body = bodyOfDiff(compared, start)
  const set = (field: 'from' | 'to') => (text: string) => {
    const { [field]: _, ...rest } = compared
    navigate({ search: text === '' ? rest : { ...rest, [field]: instantOf(text) }, replace: true })
  }
  const input = (moment: string | undefined) => {
    const time = moment === undefined ? undefined : timeOf(moment)
    return time === undefined ? '' : localTimeOf(time)
  }
  return (
    <main className="page" id="content">
      <header>
        <PageTitle text={words.compareTitle(useName(compared))} />
      </header>
      <div className="content">
        <div className="compare-moments">
          <TextField
            label={words.earlier}
            value={input(compared.from)}
            onChange={set('from')}
            type="datetime-local"
            required
          />
          <TextField
            label={words.later}
            value={input(compared.to)}
            onChange={set('to')}
            type="datetime-local"
            help={words.laterHelp}
            required
          />
        </div>
        {body ? (
          <Found
            body={body}
            onStart={(next) => navigate({ search: { ...compared, ...(next && { start: String(next) }) } })}
          />
        ) : (
          <p className="quiet">{compared.from === undefined ? words.chooseMoment : words.nothingNamed}</p>
        )}
      </div>
    </main>
  )
}

/** Of what is compared; '' until it is known. */
function useName({ query, object, instance, business }: Compared): string {
  const isQuery = query !== undefined
  const isInstance = object !== undefined && instance !== undefined
  const id = Number(business)
  const saved = useQuery({ ...oneQuery(id, query ?? ''), enabled: isQuery })
  const versions = useQuery({
    ...versionsOf({ bk_obj_id: object ?? '', bk_inst_id: Number(instance) }, false, 0, 1),
    enabled: isInstance && !isQuery,
  })
  const found = useQuery({ ...oneBusiness(id), enabled: business !== undefined && !isQuery && !isInstance })
  if (isQuery) return saved.data?.name ?? ''
  return (isInstance ? versions.data?.records[0]?.name : found.data?.bk_biz_name) ?? ''
}

function Found({ body, onStart }: { body: Parameters<typeof differencesBetween>[0]; onStart(start: number): void }) {
  const words = useWords(past)
  const { data, error, refetch } = useQuery(differencesBetween(body))
  if (error) return <Failure error={error} retry={refetch} />
  if (!data) return <Skeleton lines={8} height={24} />
  if (data.count === 0) return <Empty title={words.same} />
  const isQuery = 'query_id' in body
  const { start, limit } = body.page
  return (
    <>
      <p role="status">{isQuery ? words.resultCounts(data.counts) : words.counts(data.counts)}</p>
      {data.info.map((row) => (
        <DiffEntry
          key={`${row.bk_obj_id} ${row.bk_inst_id}`}
          row={row}
          kind={(isQuery ? words.resultKinds : words.kinds)[row.change]}
        />
      ))}
      {data.count > diffPageSize && <Pager start={start} limit={limit} count={data.count} onStart={onStart} />}
    </>
  )
}

const looks = { created: 'good', deleted: 'bad', changed: '', moved: '' } as const

function DiffEntry({ row, kind }: { row: Diff['info'][number]; kind: string }) {
  const words = useWords(past)
  const hasFields = row.fields.length + row.left.length + row.entered.length > 0
  return (
    <section className="compare-row">
      <h2>
        <Station object={row.bk_obj_id} />
        {row.name}
        <span className={`tag ${looks[row.change]}`}>{kind}</span>
        <span className="quiet">
          {row.position === null ? words.elsewhere : `${row.operator}, ${shownTime(row.op_time)}`}
        </span>
        {row.op_reason && <q className="quiet">{row.op_reason}</q>}
      </h2>
      {hasFields && <Differences record={recordOfRow(row)} />}
    </section>
  )
}
