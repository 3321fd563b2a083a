import { feed } from '@mainline/contract'
import { useMutation, useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Disclosure, DisclosurePanel, Button as Pressable } from 'react-aria-components'
import { useRefusal } from '../../api/may.ts'
import { attributesOf } from '../../api/model.ts'
import { FilterTest } from '../../forms/FilterRows.tsx'
import { Button } from '../../kit/Button.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { TextField } from '../../kit/Field.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { Select } from '../../kit/Select.tsx'
import { eventWords } from '../../words/events.ts'
import { filtering } from '../../words/filters.ts'
import { moment, useWords } from '../../words/index.ts'
import type { Draft } from './draft.ts'
import { type FilterLine, filterOf, freshLine, linesOf, objectsIn, type Side, sides } from './filter.ts'
import { groupsOf } from './names.ts'
import { catalogue, type EventFilter, tryEvents } from './questions.ts'

interface FilterSectionProps {
  draft: Draft
  /** 0 for all businesses. */
  business: number
  onChange(filter: EventFilter | null): void
}

/** Which of the chosen events are sent, line by line or as JSON, and how many of the last week that would have been. */
export function FilterSection({ draft, business, onChange }: FilterSectionProps) {
  const words = useWords(eventWords)
  const [begin] = useState(() => linesOf(draft.filter))
  return (
    <section className="event-filter" aria-label={words.filter}>
      <h2>{words.filter}</h2>
      <p className="help">{words.filterWhy}</p>
      {begin ? (
        <FilterLines begin={begin} events={draft.events} onChange={onChange} />
      ) : (
        <FilterText begin={draft.filter} onChange={onChange} />
      )}
      <Trial draft={draft} business={business} />
    </section>
  )
}

interface FilterLinesProps {
  begin: readonly FilterLine[]
  events: readonly string[]
  onChange(filter: EventFilter | null): void
}

function FilterLines({ begin, events, onChange }: FilterLinesProps) {
  const words = useWords(eventWords)
  const general = useWords(filtering)
  const [lines, setLines] = useState(begin)
  const groups = groupsOf(useQuery(catalogue()).data ?? [])
  const objects = objectsIn(events, groups)
  const loaded = useQueries({ queries: objects.map((object) => attributesOf(object)) })
  const attributes = loaded.flatMap(({ data }) => data ?? [])
  const attributeOf = (field: string) => attributes.find((each) => each.bk_property_id === field)
  const byField = Map.groupBy(attributes, (each) => each.bk_property_id)
  const nameOf = (object: string) => groups.find((each) => each.object === object)?.name ?? object
  const fields = [...byField].map(([id, [attribute, ...others]]) => ({
    id,
    name:
      objects.length === 1 || others.length > 0 || !attribute
        ? (attribute?.bk_property_name ?? id)
        : `${attribute.bk_property_name} (${nameOf(attribute.bk_obj_id)})`,
  }))
  const change = (changed: readonly FilterLine[]) => {
    setLines(changed)
    onChange(filterOf(changed, attributeOf))
  }
  return (
    <div className="filter-rows">
      {lines.map((line, at) => {
        const replace = (by: FilterLine) => change(lines.map((each, index) => (index === at ? by : each)))
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place
          <div className="filter-row" key={at}>
            <Select
              bare
              label={words.side}
              value={line.side}
              onChange={(side) => replace({ ...line, side: side as Side })}
              choices={sides.map((id) => ({ id, name: words.sides[id] }))}
            />
            <Select
              bare
              label={general.attribute}
              value={line.field}
              onChange={(field) => replace({ ...freshLine, side: line.side, field })}
              choices={
                byField.has(line.field) || line.field === ''
                  ? fields
                  : [...fields, { id: line.field, name: line.field }]
              }
            />
            {line.side !== 'changed' && (
              <FilterTest
                attribute={attributeOf(line.field)}
                filter={{ ...line, object: 'host' }}
                without="$regex"
                onChange={({ operator, value }) => replace({ ...line, operator, value })}
              />
            )}
            <Button
              look="quiet"
              icon="close"
              label={general.remove}
              onPress={() => change(lines.filter((_, index) => index !== at))}
            />
          </div>
        )
      })}
      <Button
        icon="plus"
        because={events.length === 0 ? words.eventsFirst : undefined}
        onPress={() => change([...lines, freshLine])}
      >
        {general.add}
      </Button>
    </div>
  )
}

/** For filters of other clients. */
function FilterText({ begin, onChange }: { begin: EventFilter | null; onChange(filter: EventFilter | null): void }) {
  const words = useWords(eventWords)
  const [text, setText] = useState(() => JSON.stringify(begin ?? {}, null, 1))
  const parsed = objectIn(text)
  return (
    <TextField
      label={words.filterText}
      value={text}
      onChange={(typed) => {
        setText(typed)
        const filter = objectIn(typed)
        if (filter) onChange(filter)
      }}
      problem={parsed ? undefined : words.notJson}
      lines={5}
      mono
    />
  )
}

function objectIn(text: string): EventFilter | undefined {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

function Trial({ draft, business }: { draft: Draft; business: number }) {
  const words = useWords(eventWords)
  const refused = useRefusal(feed.tryEvents)
  const body = { subscription_form: draft.events.join(','), filter: draft.filter, bk_biz_id: business }
  const asked = JSON.stringify(body)
  const trying = useMutation({ mutationFn: async () => ({ asked, answer: await tryEvents(body) }) })
  // An answer belongs to what was asked.
  const answer = trying.data?.asked === asked ? trying.data.answer : undefined
  return (
    <div className="try-out">
      <div className="buttons">
        <Button
          because={refused ?? (draft.events.length === 0 ? words.eventsFirst : undefined)}
          busy={trying.isPending}
          onPress={() => trying.mutate()}
        >
          {words.tryFilter}
        </Button>
      </div>
      {trying.error && <Failure error={trying.error} />}
      {answer && (
        <p role="status">
          <strong>{words.wouldSend(answer.matched, answer.total)}</strong>{' '}
          {!answer.complete && words.onlySince(moment(answer.since))}
        </p>
      )}
      {answer && answer.events.length > 0 && (
        <Disclosure className="entry sample">
          <Pressable slot="trigger" className="sample-head">
            <Icon name="chevron" size={14} />
            {words.newestMatches}
          </Pressable>
          <DisclosurePanel>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards must be able to scroll it */}
            <section tabIndex={0} className="scrolled" aria-label={words.newestMatches}>
              <pre className="json mono">{JSON.stringify(answer.events, null, 2)}</pre>
            </section>
          </DisclosurePanel>
        </Disclosure>
      )}
    </div>
  )
}
