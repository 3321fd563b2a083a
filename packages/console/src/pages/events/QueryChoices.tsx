import { type QueryKey, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { oneBusiness } from '../../api/businesses.ts'
import { BusinessField } from '../../forms/BusinessField.tsx'
import { Check } from '../../kit/Check.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { preferences } from '../../preferences.ts'
import { common } from '../../words/common.ts'
import { eventWords } from '../../words/events.ts'
import { useWords } from '../../words/index.ts'
import { queriesCalled, savedQueries } from '../queries/questions.ts'
import { queryEvent, queryIn } from './names.ts'

/**
 * Saved queries of the business that match the words. A subscription of all businesses may select any query, so a business is chosen to look at.
 * Selected queries are known by name whatever is searched.
 */
export function useQueriesOf(business: number, words: string, chosen: readonly string[]) {
  const [looked, setLooked] = useState(preferences().business ?? 0)
  const there = useQuery({ ...oneBusiness(looked), enabled: business === 0 && looked !== 0 }).data
  // The business last looked at may have been deleted.
  const of = business || (there?.bk_biz_id ?? 0)
  const found = useQuery({
    ...savedQueries(of, words),
    enabled: of !== 0,
    // Queries of another business are not shown for this one.
    placeholderData: (before, asked) => (asked && businessIn(asked.queryKey) === of ? before : undefined),
  })
  const ids = chosen.flatMap((name) => queryIn(name) ?? [])
  const named = useQuery({
    ...queriesCalled(of, ids),
    enabled: of !== 0 && ids.length > 0,
    placeholderData: (before) => before,
  })
  const listed = found.data?.queries ?? []
  return { of, setOf: setLooked, listed, known: [...listed, ...(named.data ?? [])], found }
}

const businessIn = ([, , asked]: QueryKey) => (asked as { params: { bk_biz_id: number } }).params.bk_biz_id

interface QueryChoicesProps {
  queries: ReturnType<typeof useQueriesOf>
  business: number
  sought: string
  chosen: readonly string[]
  onChoose(name: string, on: boolean): void
}

export function QueryChoices({
  queries: { of, setOf, listed, found },
  business,
  sought,
  chosen,
  onChoose,
}: QueryChoicesProps) {
  const words = useWords(eventWords)
  const { first } = useWords(common)
  const count = found.data?.count ?? 0
  if (sought && count === 0) return null
  return (
    <fieldset className="event-group of-queries">
      <legend>
        <Icon name="queries" size={14} />
        {words.queries}
      </legend>
      <p className="help">{words.queriesWhy}</p>
      {business === 0 && (
        <BusinessField
          bare
          label={words.queriesOf}
          value={of ? String(of) : ''}
          besides={[{ id: '', name: words.chooseBusiness }]}
          onChange={(id) => setOf(Number(id) || 0)}
        />
      )}
      {found.error && <Failure error={found.error} retry={found.refetch} />}
      {found.data && count === 0 && (
        <p className="quiet">
          {words.noQuery}{' '}
          <Link to="/queries/$business" params={{ business: String(of) }}>
            {words.makeQuery}
          </Link>
        </p>
      )}
      <div className="event-checks">
        {listed.map(({ id, name }) => (
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
      {count > listed.length && <p className="help">{first(listed.length, count)}</p>}
    </fieldset>
  )
}
