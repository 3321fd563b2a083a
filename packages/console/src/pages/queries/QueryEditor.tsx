import { queries as operations } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useDeferredValue, useMemo, useState } from 'react'
import { questions, useChange } from '../../api/ask.ts'
import { revisionNow } from '../../api/failures.ts'
import { useRefusal } from '../../api/may.ts'
import { FilterRows } from '../../forms/FilterRows.tsx'
import { type Kind, kinds } from '../../forms/filters.ts'
import { useAttributesOfKinds } from '../../forms/kinds.ts'
import { Button } from '../../kit/Button.tsx'
import { DeleteDialog } from '../../kit/DeleteDialog.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { TextField } from '../../kit/Field.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { Select } from '../../kit/Select.tsx'
import { kindOf } from '../../kit/Station.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { common } from '../../words/common.ts'
import { filtering } from '../../words/filters.ts'
import { useWords } from '../../words/index.ts'
import { queries } from '../../words/queries.ts'
import { namesIn, queryEvent } from '../events/names.ts'
import { allSubscriptions } from '../events/questions.ts'
import { treeOf } from '../topology/questions.ts'
import type { Place } from '../topology/tree.ts'
import { type AttributesOfKind, columnName } from './columns.ts'
import { type Column, type Definition, type Draft, everything, infoOf, isSame, isWhole, parse } from './definition.ts'
import { createQuery, deleteQuery, oneQuery, type SavedQuery, updateQuery } from './questions.ts'
import { Result } from './Result.tsx'
import { Snippets } from './Snippets.tsx'

interface QueryEditorProps {
  business: number
  saved: SavedQuery | null
  /** The saved query; keys besides the conditions (`beside`) are preserved. */
  begin: Definition & { beside?: object }
  /** The unsaved draft; null if there is none. */
  draft: Draft | null
  onDraft(draft: Draft | null): void
  onSaved(id: string): void
  onGone?: () => void
}

/** Conditions and columns on top, and below them a live preview of the result. */
export function QueryEditor({ business, saved, begin, draft, onDraft, onSaved, onGone }: QueryEditorProps) {
  const words = useWords(queries)
  const general = useWords(common)
  const untouched: Draft = { name: saved?.name ?? '', filters: begin.filters, columns: begin.columns }
  const { name, revision = saved?.bk_revision, ...definition } = draft ?? untouched
  const change = (part: Partial<Draft>) => {
    const next = { name, ...definition, ...part }
    onDraft(JSON.stringify(next) === JSON.stringify(untouched) ? null : { ...next, revision })
  }
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState(false)
  const refused = useRefusal(operations.updateQuery, { bk_biz_id: business })
  const attributes = useAttributesOfKinds(kinds).of
  const whole = saved === null || isWhole(saved.info, attributes)
  // A query that this page cannot show completely counts as changed by any edit.
  const touched =
    saved === null ||
    (whole
      ? !isSame(begin, definition)
      : JSON.stringify({ ...untouched, name }) !== JSON.stringify({ name, ...definition }))
  const info = touched
    ? { ...begin.beside, ...infoOf(definition, attributes) }
    : { condition: [], ...parse(saved.info) }
  const shown = useDeferredValue(info)
  const saving = useChange('queries', async () => {
    if (saved) {
      // Renaming a query does not change its definition.
      await updateQuery(business, saved.id, name.trim(), touched ? info : undefined, revision)
      return saved.id
    }
    const { id } = await createQuery(business, name.trim(), info)
    // Cached before navigating to its address, so that the page does not flicker.
    await questions.prefetchQuery(oneQuery(business, id))
    return id
  })
  const unchanged = saved !== null && name.trim() === saved.name && !touched
  const save = () =>
    saving.mutate(undefined, {
      onSuccess: (id) => {
        tell(saved ? words.updated : words.created(name.trim()), saving.request())
        onSaved(id)
      },
      // Reported once: saving again applies to the current query.
      onError: (refused) => {
        const revision = revisionNow(refused)
        if (revision !== undefined) {
          onDraft({ name, ...definition, revision })
        }
      },
    })
  return (
    <section className="query" aria-label={saved?.name ?? words.untitled}>
      <header>
        <div className="query-name">
          <TextField
            label={words.name}
            value={name}
            onChange={(typed) => change({ name: typed })}
            bare
            placeholder={words.nameHint}
          />
        </div>
        <Button
          look="primary"
          busy={saving.isPending}
          because={refused ?? (name.trim() ? (unchanged ? general.unchanged : undefined) : words.nameFirst)}
          onPress={save}
        >
          {saved ? words.save : words.saveAs}
        </Button>
        <Button
          icon="events"
          because={saved ? undefined : words.subscribeFirst}
          onPress={() =>
            saved &&
            navigate({ to: '/events/new', search: { business: String(business), event: queryEvent(saved.id) } })
          }
        >
          {words.subscribe}
        </Button>
        {saved && <Button icon="bin" label={words.delete} because={refused} onPress={() => setDeleting(true)} />}
      </header>
      {saving.error && <Failure error={saving.error} />}
      {!whole && (
        <p className="notice warn">
          <Icon name="warning" />
          {words.unreadable}
        </p>
      )}
      <section>
        <h2>{words.conditions}</h2>
        {definition.filters.length === 0 && <p className="quiet">{words.everything}</p>}
        <FilterRows
          objects={['module', 'set', 'object', 'host', 'biz']}
          filters={definition.filters}
          onChange={(filters) => change({ filters })}
          namesOf={useNames(business)}
        />
      </section>
      <section>
        <h2>{words.columns}</h2>
        <Columns columns={definition.columns} attributes={attributes} onChange={(columns) => change({ columns })} />
      </section>
      <Result
        business={business}
        name={name.trim() || 'query'}
        info={shown}
        columns={definition.columns}
        attributes={attributes}
      />
      <Snippets business={business} id={saved?.id} />
      {deleting && saved && (
        <DeleteDialog
          subject="queries"
          title={words.deleteTitle(saved.name)}
          action={words.delete}
          told={words.deleted(saved.name)}
          remove={() => deleteQuery(business, saved)}
          onClose={() => setDeleting(false)}
          onGone={() => onGone?.()}
        >
          <p>{words.deleteWhy}</p>
          <Subscribers query={saved.id} />
        </DeleteDialog>
      )}
    </section>
  )
}

/** The subscriptions to the query. Users who may not see subscriptions get a hint that some may exist. */
function Subscribers({ query }: { query: string }) {
  const words = useWords(queries)
  const found = useQuery({ ...allSubscriptions(), refetchInterval: false })
  const named = found.data?.filter((each) => namesIn(each.subscription_form).includes(queryEvent(query)))
  if (!named) return found.error ? <p>{words.perhapsSubscribed}</p> : null
  if (named.length === 0) return <p>{words.notSubscribed}</p>
  return (
    <>
      <p>{words.subscribed(named.length)}</p>
      <ul className="subscribers">
        {named.map((each) => (
          <li key={each.subscription_id}>
            <Icon name="events" size={14} />
            {each.subscription_name}
          </li>
        ))}
      </ul>
    </>
  )
}

const mostNames = 200

/** Names of sets and modules of the business, as suggestions while typing. */
function useNames(business: number): (object: Kind) => readonly string[] {
  const tree = useQuery(treeOf(business)).data
  return useMemo(() => {
    const places = [...(tree?.byKey.values() ?? [])].filter((place) => place.builtIn === 0)
    return (object) =>
      [...new Set(places.filter((place) => isOf(place, object)).map((place) => place.name))]
        .slice(0, mostNames)
        .toSorted()
  }, [tree])
}

const isOf = ({ object }: Place, kind: Kind) => object === kind || (kind === 'object' && kindOf(object) === 'level')

interface ColumnsProps {
  columns: readonly Column[]
  attributes: AttributesOfKind
  onChange(columns: readonly Column[]): void
}

function Columns({ columns, attributes, onChange }: ColumnsProps) {
  const words = useWords(queries)
  const { objects } = useWords(filtering)
  const nameOf = ({ object, field }: Column) =>
    field === everything ? words.everyAttribute : columnName(attributes(object), { object, field })
  // Columns of levels are not available in the preview.
  const offered = kinds
    .filter(
      (object) =>
        object !== 'object' && !columns.some((column) => column.object === object && column.field === everything),
    )
    .flatMap((object) => {
      const others = attributes(object)
        .filter((each) => !columns.some((column) => column.object === object && column.field === each.bk_property_id))
        .map((each) => ({
          id: `${object} ${each.bk_property_id}`,
          name: `${objects[object]}: ${each.bk_property_name}`,
        }))
      const all = { id: `${object} ${everything}`, name: `${objects[object]}: ${words.everyAttribute}` }
      return others.length > 0 ? [...others, all] : []
    })
  const add = (column: Column) =>
    onChange([...columns.filter((each) => column.field !== everything || each.object !== column.object), column])
  return (
    <ul className="query-columns">
      {columns.map((column) => (
        <li key={`${column.object} ${column.field}`} className="tag">
          {objects[column.object]}: {nameOf(column)}
          <button
            type="button"
            aria-label={words.removeColumn(nameOf(column))}
            onClick={() => onChange(columns.filter((each) => each !== column))}
          >
            <Icon name="close" size={12} />
          </button>
        </li>
      ))}
      <li>
        <Select
          bare
          label={words.addColumn}
          none={words.addColumn}
          value=""
          onChange={(id) => {
            const [object, field] = id.split(' ')
            if (field) add({ object: object as Kind, field })
          }}
          choices={offered}
        />
      </li>
    </ul>
  )
}
