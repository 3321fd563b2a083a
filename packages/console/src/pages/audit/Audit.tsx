import { audit as operations } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, useNavigate } from '@tanstack/react-router'
import { useRefusal } from '../../api/may.ts'
import { Empty, Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { Pager } from '../../kit/Pager.tsx'
import { PageTitle } from '../../kit/PageTitle.tsx'
import { audit } from '../../words/audit.ts'
import { useWords } from '../../words/index.ts'
import { Filters } from './Filters.tsx'
import { conditionOf } from './filters.ts'
import { findRecords, pageSize } from './questions.ts'
import { Timeline } from './Timeline.tsx'
import { Verification } from './Verification.tsx'
import { useVerification } from './verification.ts'

export const route = createLazyRoute('/audit')({ component: Audit })

function Audit() {
  const words = useWords(audit)
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/audit' })
  const start = Number(search.start ?? 0)
  const condition = conditionOf(search)
  const found = useQuery({ ...findRecords(condition, start), placeholderData: (before) => before })
  const verification = useVerification()
  const refused = useRefusal(operations.getLogIntegrity)
  const filtered = Object.keys(condition).length > 0
  return (
    <main className="page" id="content">
      <header>
        <PageTitle text={words.title} />
        {found.data && <span className="quiet">{words.count(found.data.count)}</span>}
        {filtered && (
          <Button look="quiet" icon="close" onPress={() => navigate({ search: {}, replace: true })}>
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
            <h2 className="unseen">{words.changes}</h2>
            <Timeline
              records={found.data.records}
              open={search.record}
              onOpen={(record) =>
                navigate({
                  search: ({ record: _, ...before }) => (record ? { ...before, record } : before),
                  replace: true,
                })
              }
            />
            {found.data.count > pageSize && (
              <Pager
                start={start}
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
