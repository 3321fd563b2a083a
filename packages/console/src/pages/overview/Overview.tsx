import { businesses } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useMemo } from 'react'
import { findBusinesses } from '../../api/businesses.ts'
import { useRefusal } from '../../api/may.ts'
import { attributesOf } from '../../api/model.ts'
import { useSession } from '../../api/session.ts'
import { useFirstVisit } from '../../api/settings.ts'
import { type Attribute, toWords } from '../../forms/attributes.ts'
import { Empty, Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { useChanged } from '../../kit/changed.ts'
import { Failure } from '../../kit/Failure.tsx'
import { SearchField } from '../../kit/Field.tsx'
import { PageTitle } from '../../kit/PageTitle.tsx'
import { Station } from '../../kit/Station.tsx'
import { openDialog } from '../../shell/dialogs/opened.ts'
import { common } from '../../words/common.ts'
import { moment, number, useWords } from '../../words/index.ts'
import { overview } from '../../words/overview.ts'
import { Attention } from './Attention.tsx'
import { Delivery } from './Delivery.tsx'
import { Figures } from './Figures.tsx'
import { FirstSteps, useSteps } from './FirstSteps.tsx'
import { LatestChanges } from './LatestChanges.tsx'
import { hostCountIn, hostsOfBusinesses } from './questions.ts'
import './overview.css'

const Welcome = lazy(() => import('./Welcome.tsx').then((file) => ({ default: file.Welcome })))

export const route = createLazyRoute('/')({ component: Overview })

const columns = ['bk_biz_name', 'bk_biz_maintainer', 'bk_biz_developer', 'life_cycle']

function Overview() {
  const words = useWords(overview)
  const { find = '' } = route.useSearch()
  const navigate = useNavigate({ from: '/' })
  const refused = useRefusal(businesses.createBusiness)
  const found = useQuery({ ...findBusinesses(find), placeholderData: (before) => before })
  const steps = useSteps()
  const isFirstVisit = useFirstVisit(useSession().data?.user)
  // Without data, figures and lists are omitted.
  const isEmpty = steps?.next === 'business' && !steps.done.has('hosts')
  return (
    <main className="page" id="content">
      <header>
        <PageTitle text={words.title} />
        {steps !== undefined && !isEmpty && (
          <div className="actions">
            <SearchField
              label={words.find}
              value={find}
              onChange={(value) => navigate({ search: value ? { find: value } : {}, replace: true })}
            />
            <Button look="primary" icon="plus" because={refused} onPress={() => openDialog('business')}>
              {words.create}
            </Button>
          </div>
        )}
      </header>
      <div className="content overview">
        {isFirstVisit && (
          <Suspense>
            <Welcome />
          </Suspense>
        )}
        {steps && <FirstSteps steps={steps} refused={refused} onCreate={() => openDialog('business')} />}
        {steps !== undefined && !isEmpty && (
          <>
            <Figures />
            <div className="overview-cards">
              <Attention />
              <Delivery />
            </div>
            {found.error ? (
              <Failure error={found.error} retry={found.refetch} />
            ) : (
              <Businesses found={found.data} find={find} />
            )}
          </>
        )}
        {/* The top of the page is loaded first, so that the layout does not shift. */}
        {steps === undefined ? <Skeleton lines={12} height={26} /> : <LatestChanges />}
      </div>
    </main>
  )
}

const idOf = ({ bk_biz_id }: Found['businesses'][number]) => bk_biz_id

type Found = NonNullable<ReturnType<ReturnType<typeof findBusinesses>['select']>>

function Businesses({ found, find }: { found: Found | undefined; find: string }) {
  const words = useWords(overview)
  const general = useWords(common)
  const model = useQuery(attributesOf('biz')).data ?? []
  const counts = useQuery(hostsOfBusinesses()).data
  const rows = useMemo(
    () => counts && found?.businesses.map((each) => ({ ...each, hosts: counts[each.bk_biz_id] ?? 0 })),
    [counts, found],
  )
  const changed = useChanged(find, rows, idOf)
  const shown = columns
    .map((id) => model.find((each) => each.bk_property_id === id))
    .filter((each) => each !== undefined)
  if (!found || model.length === 0) return <Skeleton lines={6} height={26} />
  if (found.count === 0) return <Empty title={find ? general.nothingFound : words.empty} />
  return (
    <section className="wide-table">
      <table className="table" aria-label={words.businesses}>
        <thead>
          <tr>
            {shown.map((each) => (
              <th key={each.bk_property_id} scope="col">
                {each.bk_property_name}
              </th>
            ))}
            <th scope="col">{words.hosts}</th>
            <th scope="col" className="number">
              {words.columns.id}
            </th>
            <th scope="col">{words.columns.changed}</th>
          </tr>
        </thead>
        <tbody>
          {found.businesses.map((business) => (
            <tr key={business.bk_biz_id} className={changed.has(business.bk_biz_id) ? 'changed' : ''}>
              {shown.map((each) => (
                <td key={each.bk_property_id}>
                  <Cell attribute={each} business={business} />
                </td>
              ))}
              <td>
                <Share business={business.bk_biz_id} />
              </td>
              <td className="number quiet">{business.bk_biz_id}</td>
              <td className="quiet">{moment(business.last_time)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {found.count > found.businesses.length && (
        <p className="quiet">{general.first(found.businesses.length, found.count)}</p>
      )}
    </section>
  )
}

function Cell({ attribute, business }: { attribute: Attribute; business: Found['businesses'][number] }) {
  const words = useWords(common)
  if (attribute.bk_property_id !== 'bk_biz_name') {
    return toWords(attribute, business[attribute.bk_property_id as keyof typeof business], words)
  }
  return (
    <Link to="/topology/$business" params={{ business: String(business.bk_biz_id) }} className="named">
      <Station object="biz" />
      {business.bk_biz_name}
    </Link>
  )
}

/** The number of its hosts, and its share of the estate. */
function Share({ business }: { business: number }) {
  const counts = useQuery(hostsOfBusinesses()).data
  const all = useQuery(hostCountIn('all')).data
  if (counts === undefined || all === undefined) return null
  const count = counts[business] ?? 0
  return (
    <div className="share">
      <span>{number(count)}</span>
      <span className="share-bar" style={{ width: `${all === 0 ? 0 : (count / all) * 100}%` }} />
    </div>
  )
}
