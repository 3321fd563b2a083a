import { hosts as operations } from '@mainline/contract'
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useRefusal } from '../../api/may.ts'
import type { KindCondition } from '../../forms/filters.ts'
import { Button } from '../../kit/Button.tsx'
import { PageTitle } from '../../kit/PageTitle.tsx'
import { hosts } from '../../words/hosts.ts'
import { useWords } from '../../words/index.ts'
import { AddHosts } from './AddHosts.tsx'
import type { HostView } from './browsing.ts'
import { HostBrowser } from './HostBrowser.tsx'

export const route = createLazyRoute('/hosts')({ component: Hosts })

const pool: KindCondition[] = [{ bk_obj_id: 'biz', condition: [{ field: 'default', operator: '$eq', value: 1 }] }]

function Hosts() {
  const words = useWords(hosts)
  const { scope, ...view } = route.useSearch()
  const isPool = scope === 'pool'
  const navigate = useNavigate({ from: '/hosts' })
  const [adding, setAdding] = useState(false)
  const refused = useRefusal(operations.addHosts)
  return (
    <main className="page" id="content">
      <header>
        <PageTitle text={isPool ? words.pool : words.title} />
        <nav className="scopes" aria-label={words.title}>
          <Link to="/hosts" className={isPool ? 'place' : 'place active'} activeProps={{}}>
            {words.all}
          </Link>
          <Link to="/hosts" search={{ scope: 'pool' }} className={isPool ? 'place active' : 'place'} activeProps={{}}>
            {words.pool}
          </Link>
        </nav>
        <div className="actions">
          <Button look="primary" icon="plus" because={refused} onPress={() => setAdding(true)}>
            {words.add}
          </Button>
        </div>
      </header>
      <div className="content">
        <HostBrowser
          key={scope ?? ''}
          within={isPool ? pool : []}
          view={view}
          onView={(next: HostView) => navigate({ search: isPool ? { ...next, scope } : next, replace: true })}
          isPool={isPool}
          showBusiness={!isPool}
          empty={words.emptyEstate}
        />
      </div>
      {adding && <AddHosts onClose={() => setAdding(false)} />}
    </main>
  )
}
