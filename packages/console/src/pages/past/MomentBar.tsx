import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useRouterState } from '@tanstack/react-router'
import { Button } from '../../kit/Button.tsx'
import { TextField } from '../../kit/Field.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { moment as shownTime, useWords } from '../../words/index.ts'
import { past } from '../../words/past.ts'
import { instantOf, localTimeOf } from '../../zone.ts'
import { findChanges } from '../audit/questions.ts'
import { ChangeSlider } from './ChangeSlider.tsx'
import { timeOf } from './times.ts'
import './past.css'

/** Changes on the slider: the newest ones. */
const mostChanges = 200

interface Address {
  readonly as_of?: string | undefined
  readonly node?: string
  readonly query?: string
}

/** Over a page that shows the past: of which moment, and the way to others. */
export function MomentBar({ asOf }: { asOf: string }) {
  const words = useWords(past)
  const navigate = useNavigate()
  const { business } = useParams({ strict: false })
  const condition = business === undefined ? {} : { bk_biz_id: Number(business) }
  // Callers who may not read the log still have the time.
  const found = useQuery({ ...findChanges(condition, 0, mostChanges), retry: false }).data
  const changes = found?.changes.toReversed() ?? []
  const time = timeOf(asOf)
  const show = (next: string | undefined) =>
    navigate({ to: '.', search: (before: Address) => ({ ...before, as_of: next }), replace: true })
  return (
    <section className="moment-bar" aria-label={words.bar}>
      <p role="status">
        <Icon name="audit" />
        <strong>{words.asOf(time === undefined ? asOf : shownTime(new Date(time).toISOString()))}</strong>
        <span>{words.isReadOnly}</span>
      </p>
      <TextField
        label={words.time}
        value={time === undefined ? '' : localTimeOf(time)}
        onChange={(text) => {
          if (text !== '' && Date.parse(instantOf(text)) <= Date.now()) show(instantOf(text))
        }}
        type="datetime-local"
        required
      />
      {changes.length > 0 && (
        <ChangeSlider
          changes={changes}
          time={time ?? Number.POSITIVE_INFINITY}
          onChange={(change) => show(new Date(change.op_time).toISOString())}
        />
      )}
      <div className="actions">
        <Comparison asOf={asOf} />
        <Button look="primary" onPress={() => show(undefined)}>
          {words.now}
        </Button>
      </div>
    </section>
  )
}

/** From here to a comparison of what the page shows with the present. */
function Comparison({ asOf: from }: { asOf: string }) {
  const words = useWords(past)
  const { business, host } = useParams({ strict: false })
  const { node, query } = useRouterState({ select: ({ location }) => location.search as Address })
  const subject = subjectIn({ business, host, node, query })
  if (!subject) return null
  return (
    <Link to="/compare" search={{ ...subject, from }}>
      {words.compareWithNow}
    </Link>
  )
}

function subjectIn({
  business,
  host,
  node,
  query,
}: Record<'business' | 'host' | 'node' | 'query', string | undefined>) {
  if (host !== undefined) return { object: 'host', instance: host }
  if (business === undefined) return undefined
  if (query !== undefined) return { business, query }
  const [, object, instance] = /^(.+)-(\d+)$/.exec(node ?? '') ?? []
  return object !== undefined && instance !== undefined ? { business, object, instance } : { business }
}
