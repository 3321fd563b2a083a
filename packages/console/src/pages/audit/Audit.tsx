import { audit as operations } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { useRefusal } from '../../api/may.ts'
import { Empty, Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { Pager, startIn } from '../../kit/Pager.tsx'
import { PageTitle } from '../../kit/PageTitle.tsx'
import { usePreferences } from '../../preferences.ts'
import { audit } from '../../words/audit.ts'
import { useWords } from '../../words/index.ts'
import { Changes } from './Changes.tsx'
import { Filters } from './Filters.tsx'
import { type AuditFilters, conditionOf } from './filters.ts'
import { findChanges, findRecords } from './questions.ts'
import { Timeline } from './Timeline.tsx'
import { Verification } from './Verification.tsx'
import { useVerification } from './verification.ts'

export const route = createLazyRoute('/audit')({ component: Audit })

function Audit() {
  const words = useWords(audit)
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/audit' })
  const condition = conditionOf(search)
  const verification = useVerification()
  const refused = useRefusal(operations.getLogIntegrity)
  const filtered = Object.keys(condition).length > 0
  const isByRecord = search.view === 'records'
  const { pageSize } = usePreferences()
  const found = useFound(condition, startIn(search.start), pageSize, isByRecord)
  const open = (record: string | undefined) =>
    navigate({ search: ({ record: _, ...before }) => (record ? { ...before, record } : before), replace: true })
  const withoutPage = ({ start: _, record: __, view: ___, ...filters }: AuditFilters) => filters
  return (
    <main className="page" id="content">
      <header>
        <PageTitle text={words.title} />
        <nav className="scopes" aria-label={words.title}>
          <Link
            to="/audit"
            search={withoutPage(search)}
            className={isByRecord ? 'place' : 'place active'}
            activeProps={{}}
          >
            {words.changes}
          </Link>
          <Link
            to="/audit"
            search={{ ...withoutPage(search), view: 'records' }}
            className={isByRecord ? 'place active' : 'place'}
            activeProps={{}}
          >
            {words.records}
          </Link>
        </nav>
        {found.data && (
          <span className="quiet">
            {isByRecord ? words.count(found.data.count) : words.countChanges(found.data.count)}
          </span>
        )}
        {filtered && (
          <Button
            look="quiet"
            icon="close"
            onPress={() => navigate({ search: isByRecord ? { view: 'records' } : {}, replace: true })}
          >
            {words.reset}
          </Button>
        )}
        <div className="actions">
          <Button
            icon="privileges"
            busy={verification.state?.phase === 'running'}
            because={refused}
            onPress={verification.start}
          >
            {words.verify}
          </Button>
        </div>
      </header>
      <div className="content">
        {verification.state && <Verification state={verification.state} onClose={verification.stop} />}
        <Filters
          filters={search}
          onChange={({ start: _, record: __, ...filters }) => navigate({ search: filters, replace: true })}
        />
        {found.error ? (
          <Failure error={found.error} retry={found.refetch} />
        ) : !found.data ? (
          <Skeleton lines={12} height={24} />
        ) : found.data.count === 0 ? (
          <Empty title={filtered ? words.empty : words.nothing}>{filtered && <p>{words.emptyWhy}</p>}</Empty>
        ) : (
          <>
            <h2 className="unseen">{isByRecord ? words.records : words.changes}</h2>
            {'records' in found.data ? (
              <Timeline records={found.data.records} open={search.record} onOpen={open} />
            ) : (
              <Changes list={found.list} changes={found.data.changes} open={search.record} onOpen={open} />
            )}
            {found.data.count > pageSize && (
              <Pager
                start={startIn(search.start)}
                limit={pageSize}
                count={found.data.count}
                onStart={(next) =>
                  navigate({
                    search: ({ start: _, record: __, ...before }) =>
                      next ? { ...before, start: String(next) } : before,
                  })
                }
              />
            )}
          </>
        )}
      </div>
    </main>
  )
}

/** Changes, or single records. */
function useFound(condition: Record<string, unknown>, start: number, limit: number, isByRecord: boolean) {
  const records = useQuery({
    ...findRecords(condition, start, limit),
    enabled: isByRecord,
    placeholderData: (before) => before,
  })
  const changes = useQuery({
    ...findChanges(condition, start, limit),
    enabled: !isByRecord,
    placeholderData: (before) => before,
  })
  const { data, error, refetch, isPlaceholderData } = isByRecord ? records : changes
  const list = isPlaceholderData ? undefined : JSON.stringify([condition, start])
  return { data, list, error, refetch: () => void refetch() }
}
