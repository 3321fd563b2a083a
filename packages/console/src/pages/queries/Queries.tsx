import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { isMissing } from '../../api/failures.ts'
import { Empty, Skeleton } from '../../kit/Blank.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { SearchField } from '../../kit/Field.tsx'
import { Icon } from '../../kit/Icon.tsx'
import { PageTitle } from '../../kit/PageTitle.tsx'
import { NoBusiness } from '../../shell/NoBusiness.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/index.ts'
import { queries } from '../../words/queries.ts'
import { beginning, type Draft, draftIn, readInfo, toAddress } from './definition.ts'
import { QueryEditor } from './QueryEditor.tsx'
import { oneQuery, savedQueries } from './questions.ts'
import './queries.css'

export const route = createLazyRoute('/queries/$business')({ component: Queries })

function Queries() {
  const words = useWords(queries)
  const business = Number(route.useParams().business)
  const { query } = route.useSearch()
  const missing = isMissing(useQuery(savedQueries(business, '')).error)
  if (missing) {
    return (
      <main className="page" id="content">
        <PageTitle className="unseen" text={words.title} />
        <NoBusiness />
      </main>
    )
  }
  return (
    <main className="page queries" id="content">
      <PageTitle className="unseen" text={words.title} />
      <SavedList key={business} business={business} selected={query} />
      {query ? <Saved key={query} business={business} id={query} /> : <Fresh key={business} business={business} />}
    </main>
  )
}

function SavedList({ business, selected }: { business: number; selected: string | undefined }) {
  const words = useWords(queries)
  const { first, nothingFound } = useWords(common)
  const [sought, setSought] = useState('')
  const saved = useQuery({
    ...savedQueries(business, sought),
    placeholderData: (before) => before,
  })
  const shown = saved.data?.queries.filter((each) => each.name.toLowerCase().includes(sought.trim().toLowerCase()))
  const params = { business: String(business) }
  return (
    <nav className="saved" aria-label={words.saved}>
      <SearchField label={words.find} value={sought} onChange={setSought} />
      <Link
        to="/queries/$business"
        params={params}
        search={{}}
        className={selected ? 'place' : 'place active'}
        activeProps={{}}
      >
        <Icon name="plus" />
        {words.new}
      </Link>
      {saved.error && <Failure error={saved.error} retry={saved.refetch} />}
      {!saved.data && !saved.error && <Skeleton lines={5} height={20} />}
      {saved.data?.count === 0 && (
        <p className="quiet nothing">
          {sought.trim() ? (
            nothingFound
          ) : (
            <>
              <strong>{words.none}</strong>
              {words.noneWhy}
            </>
          )}
        </p>
      )}
      <ul>
        {shown?.map((each) => (
          <li key={each.id}>
            <Link
              to="/queries/$business"
              params={params}
              search={{ query: each.id }}
              className={each.id === selected ? 'place active' : 'place'}
              activeProps={{}}
            >
              <Icon name="queries" />
              <span className="truncate">{each.name}</span>
            </Link>
          </li>
        ))}
      </ul>
      {saved.data && saved.data.count > saved.data.queries.length && (
        <p className="quiet nothing">{first(saved.data.queries.length, saved.data.count)}</p>
      )}
    </nav>
  )
}

/** The unsaved draft is in the URL: it can be shared, and survives the back button. */
function useDraft() {
  const { draft } = route.useSearch()
  const navigate = useNavigate({ from: '/queries/$business' })
  return {
    draft: useMemo(() => draftIn(draft), [draft]),
    onDraft: (next: Draft | null) =>
      navigate({
        search: ({ draft: _, ...rest }) => (next ? { ...rest, draft: toAddress(next) } : rest),
        replace: true,
      }),
  }
}

function Fresh({ business }: { business: number }) {
  const navigate = useNavigate({ from: '/queries/$business' })
  return (
    <QueryEditor
      business={business}
      saved={null}
      begin={beginning}
      {...useDraft()}
      onSaved={(id) => navigate({ search: { query: id } })}
    />
  )
}

function Saved({ business, id }: { business: number; id: string }) {
  const words = useWords(queries)
  const navigate = useNavigate({ from: '/queries/$business' })
  const found = useQuery(oneQuery(business, id))
  const drafting = useDraft()
  const begin = useMemo(() => readInfo(found.data?.info ?? ''), [found.data?.info])
  if (isMissing(found.error) || found.data === null) {
    return (
      <Empty title={words.gone}>
        <p>{words.goneWhy}</p>
      </Empty>
    )
  }
  if (found.error) return <Failure error={found.error} retry={found.refetch} />
  if (!found.data) return <Skeleton lines={12} height={24} />
  return (
    <QueryEditor
      business={business}
      saved={found.data}
      begin={begin}
      {...drafting}
      onSaved={() => drafting.onDraft(null)}
      onGone={() => navigate({ search: {} })}
    />
  )
}
