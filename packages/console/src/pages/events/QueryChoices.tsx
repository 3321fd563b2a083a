import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { findBusinesses } from '../../api/businesses.ts'
import { Check } from '../../kit/Check.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { Select } from '../../kit/Field.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { preferences } from '../../preferences.ts'
import { eventWords } from '../../words/events.ts'
import { useWords } from '../../words/index.ts'
import { savedQueries } from '../queries/questions.ts'
import { queryEvent } from './names.ts'

/** Saved queries of the business; a subscription of all of them may name any, so that one is chosen to look at. */
export function useQueriesOf(business: number) {
  const [looked, setLooked] = useState(preferences().business ?? 0)
  const businesses = useQuery(findBusinesses('')).data?.businesses ?? []
  // The one last looked at may be gone meanwhile.
  const of = business || (businesses.some((each) => each.bk_biz_id === looked) ? looked : 0)
  const found = useQuery({ ...savedQueries(of), enabled: of !== 0 })
  return { of, setOf: setLooked, businesses, known: found.data ?? [], found }
}

interface QueryChoicesProps {
  queries: ReturnType<typeof useQueriesOf>
  business: number
  holds(...texts: string[]): boolean
  chosen: readonly string[]
  onChoose(name: string, on: boolean): void
}

export function QueryChoices({
  queries: { of, setOf, businesses, known, found },
  business,
  holds,
  chosen,
  onChoose,
}: QueryChoicesProps) {
  const words = useWords(eventWords)
  const shown = known.filter((query) => holds(words.queries, query.name, query.id))
  if (known.length > 0 && shown.length === 0) return null
  return (
    <fieldset className="event-group of-queries">
      <legend>
        <Icon name="queries" size={14} />
        {words.queries}
      </legend>
      <p className="help">{words.queriesWhy}</p>
      {business === 0 && (
        <Select
          bare
          label={words.queriesOf}
          value={of ? String(of) : ''}
          none={words.chooseBusiness}
          onChange={(id) => setOf(Number(id) || 0)}
          choices={businesses.map((each) => ({ id: String(each.bk_biz_id), name: each.bk_biz_name }))}
        />
      )}
      {found.error && <Failure error={found.error} retry={found.refetch} />}
      {found.data?.length === 0 && (
        <p className="quiet">
          {words.noQuery}{' '}
          <Link to="/queries/$business" params={{ business: String(of) }}>
            {words.makeQuery}
          </Link>
        </p>
      )}
      <div className="event-checks">
        {shown.map(({ id, name }) => (
          <Check
            key={id}
            label={words.queryEvent(name)}
            isSelected={chosen.includes(queryEvent(id))}
            onChange={(on) => onChoose(queryEvent(id), on)}
          >
            {name}
          </Check>
        ))}
      </div>
    </fieldset>
  )
}
