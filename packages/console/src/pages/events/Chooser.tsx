import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Disclosure, DisclosurePanel, Button as Pressable } from 'react-aria-components'
import { chain } from '../../api/model.ts'
import { Skeleton } from '../../kit/Blank.tsx'
import { Check } from '../../kit/Check.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { SearchField } from '../../kit/Field.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { kindOf, Station } from '../../kit/Station.tsx'
import { common } from '../../words/common.ts'
import { eventWords } from '../../words/events.ts'
import { useWords } from '../../words/index.ts'
import { actions, type EventGroup, groupsOf, queryIn, sayEvent } from './names.ts'
import { QueryChoices, useQueriesOf } from './QueryChoices.tsx'
import { catalogue } from './questions.ts'

interface ChooserProps {
  /** 0 for all businesses. */
  business: number
  chosen: readonly string[]
  onChange(chosen: string[]): void
  problem: string | undefined
}

/** All events by object; the selected ones are on top. */
export function Chooser({ business, chosen, onChange, problem }: ChooserProps) {
  const words = useWords(eventWords)
  const { nothingFound } = useWords(common)
  const entries = useQuery(catalogue())
  const [sought, setSought] = useState('')
  const [last, setLast] = useState<string | undefined>(chosen[0])
  const wanted = sought.trim().toLowerCase()
  const holds = (...texts: string[]) => texts.join(' ').toLowerCase().includes(wanted)
  // A search for the word "query" matches all of them.
  const wantedQueries = holds(words.queries) ? '' : wanted
  const queries = useQueriesOf(business, wantedQueries, chosen)
  const line = useQuery(chain()).data?.map((link) => link.bk_obj_id) ?? []
  const groups = groupsOf(entries.data ?? [], line)
  const say = (name: string) => sayEvent(name, groups, queries.known, words)
  const choose = (name: string, on: boolean) => {
    setLast(on ? name : chosen.find((each) => each !== name))
    onChange(on ? [...chosen, name] : chosen.filter((each) => each !== name))
  }
  const shown = groups.filter((group) =>
    [...group.actions.values(), ...group.others].some((entry) =>
      holds(group.name, entry.event_name, say(entry.event_name)),
    ),
  )
  const sample = entries.data?.find(
    (entry) =>
      last !== undefined &&
      (queryIn(last) === undefined ? entry.event_name === last : queryIn(entry.event_name) !== undefined),
  )
  return (
    <section className="chooser" aria-label={words.which}>
      <header>
        <h2>{words.which}</h2>
        {chosen.length > 0 && <span className="quiet">{words.chosen(chosen.length)}</span>}
        <SearchField label={words.findEvent} value={sought} onChange={setSought} />
      </header>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {chosen.length > 0 && (
        <ul className="chosen">
          {chosen.map((name) => (
            <li key={name} className="tag accent">
              {say(name)}
              <button type="button" aria-label={words.remove(say(name))} onClick={() => choose(name, false)}>
                <Icon name="close" size={12} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {entries.error && <Failure error={entries.error} retry={entries.refetch} />}
      {!entries.data && !entries.error && <Skeleton lines={8} height={24} />}
      <div className="chooser-list">
        <QueryChoices queries={queries} sought={wantedQueries} chosen={chosen} onChoose={choose} business={business} />
        {shown.map((group) => (
          <Group
            key={group.object}
            group={group}
            isOnLine={line.includes(group.object)}
            say={say}
            chosen={chosen}
            onChoose={choose}
          />
        ))}
        {entries.data && shown.length === 0 && <p className="quiet">{nothingFound}</p>}
      </div>
      {sample && last && (
        <Disclosure className="entry sample">
          <Pressable slot="trigger" className="sample-head">
            <Icon name="chevron" size={14} />
            {words.sampleOf(say(last))}
          </Pressable>
          <DisclosurePanel>
            <pre className="json mono">{JSON.stringify(sample.sample, null, 2)}</pre>
          </DisclosurePanel>
        </Disclosure>
      )}
    </section>
  )
}

interface GroupProps {
  group: EventGroup
  isOnLine: boolean
  say(name: string): string
  chosen: readonly string[]
  onChoose(name: string, on: boolean): void
}

function Group({ group, isOnLine, say, chosen, onChoose }: GroupProps) {
  const words = useWords(eventWords)
  const check = (name: string, text: string) => (
    <Check key={name} label={say(name)} isSelected={chosen.includes(name)} onChange={(on) => onChoose(name, on)}>
      {text}
    </Check>
  )
  return (
    <fieldset className="event-group">
      <legend>
        <Station object={group.object} kind={isOnLine ? kindOf(group.object) : 'other'} />
        {group.name}
      </legend>
      <div className="event-checks">
        {actions.map((action) => {
          const entry = group.actions.get(action)
          return entry && check(entry.event_name, words.actions[action])
        })}
        {group.others.map(({ event_name: name }) => check(name, words.special[name] ?? name))}
      </div>
    </fieldset>
  )
}
