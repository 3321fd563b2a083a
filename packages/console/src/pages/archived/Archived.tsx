import { businesses } from '@mainline/contract'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useChange } from '../../api/ask.ts'
import { type Business, findArchived } from '../../api/businesses.ts'
import { account, call } from '../../api/call.ts'
import { useRefusal } from '../../api/may.ts'
import { Empty, Skeleton } from '../../kit/Blank.tsx'
import { Button } from '../../kit/Button.tsx'
import { DeleteDialog } from '../../kit/DeleteDialog.tsx'
import { Failure } from '../../kit/Failure.tsx'
import { SearchField } from '../../kit/Field.tsx'
import { Pager, startIn, useLastPage } from '../../kit/Pager.tsx'
import { PageTitle } from '../../kit/PageTitle.tsx'
import { Station } from '../../kit/Station.tsx'
import { tell } from '../../kit/Toasts.tsx'
import { usePreferences } from '../../preferences.ts'
import { archived } from '../../words/archived.ts'
import { moment, useWords } from '../../words/index.ts'

export const route = createLazyRoute('/archived')({ component: Archived })

function Archived() {
  const words = useWords(archived)
  const { find = '', ...view } = route.useSearch()
  const { pageSize } = usePreferences()
  const start = startIn(view.start)
  const navigate = useNavigate({ from: '/archived' })
  const found = useQuery({ ...findArchived(find, start, pageSize), placeholderData: (before) => before })
  const count = found.data?.count ?? 0
  const turn = (next: number, replace: boolean) =>
    navigate({ search: { ...(find && { find }), ...(next > 0 && { start: String(next) }) }, replace })
  const known = found.isPlaceholderData ? undefined : found.data?.count
  useLastPage({ start, limit: pageSize, count: known }, (last) => turn(last, true))
  return (
    <main className="page" id="content">
      <header>
        <PageTitle text={words.title} />
        {count > 0 && <span className="quiet">{words.count(count)}</span>}
        <div className="actions">
          <SearchField
            label={words.find}
            value={find}
            onChange={(sought) => navigate({ search: sought ? { find: sought } : {}, replace: true })}
          />
        </div>
      </header>
      <div className="content">
        <p className="quiet">{words.why}</p>
        {found.error && <Failure error={found.error} retry={found.refetch} />}
        {!found.data && !found.error && <Skeleton lines={6} height={28} />}
        {found.data && count === 0 && (
          <Empty title={find ? words.noMatch : words.none}>{!find && <p>{words.noneWhy}</p>}</Empty>
        )}
        {found.data && count > 0 && <List businesses={found.data.businesses} />}
        {count > pageSize && (
          <Pager start={start} limit={pageSize} count={count} onStart={(next) => turn(next, false)} />
        )}
      </div>
    </main>
  )
}

const one = (business: Business) => ({
  params: { bk_supplier_account: account, bk_biz_id: business.bk_biz_id },
  ifMatch: business.bk_revision,
})

function List({ businesses: rows }: { businesses: readonly Business[] }) {
  const words = useWords(archived)
  const navigate = useNavigate()
  const [deleting, setDeleting] = useState<Business | null>(null)
  const refused = useRefusal(businesses.recoverBusiness)
  const recovering = useChange('businesses', async (business: Business) => {
    await call(businesses.recoverBusiness, one(business))
    tell(words.recovered, recovering.request())
    await navigate({ to: '/topology/$business', params: { business: String(business.bk_biz_id) } })
  })
  return (
    <>
      {recovering.error && <Failure error={recovering.error} />}
      <div className="wide-table">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">{words.name}</th>
              <th scope="col" className="number">
                ID
              </th>
              <th scope="col">{words.maintainers}</th>
              <th scope="col">{words.since}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {rows.map((business) => (
              <tr key={business.bk_biz_id}>
                <th scope="row">
                  <Station object="biz" /> {business.bk_biz_name}
                </th>
                <td className="number">{business.bk_biz_id}</td>
                <td>{business.bk_biz_maintainer}</td>
                <td>{moment(business.last_time)}</td>
                <td>
                  <div className="buttons ends">
                    <Button because={refused} busy={recovering.isPending} onPress={() => recovering.mutate(business)}>
                      {words.recover}
                    </Button>
                    <Button icon="bin" label={words.delete} because={refused} onPress={() => setDeleting(business)} />
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {deleting && (
        <DeleteDialog
          subject="businesses"
          title={words.deleteTitle(deleting.bk_biz_name)}
          action={words.delete}
          told={words.deleted(deleting.bk_biz_name)}
          remove={() => call(businesses.deleteBusiness, one(deleting))}
          onClose={() => setDeleting(null)}
          onGone={() => setDeleting(null)}
        >
          <p>{words.deleteWhy}</p>
        </DeleteDialog>
      )}
    </>
  )
}
