import { createLazyRoute, useNavigate } from '@tanstack/react-router'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { PageTitle } from '../../kit/PageTitle.tsx'
import { useWords } from '../../words/index.ts'
import { privilegeWords } from '../../words/privileges.ts'
import { Explain } from './Explain.tsx'
import { Groups } from './Groups.tsx'
import { Roles } from './Roles.tsx'
import './privileges.css'

export const route = createLazyRoute('/privileges')({ component: Privileges })

function Privileges() {
  const words = useWords(privilegeWords)
  const search = route.useSearch()
  const navigate = useNavigate({ from: '/privileges' })
  return (
    <main className="page" id="content">
      <header>
        <PageTitle text={words.title} />
      </header>
      <Tabs
        className="content"
        selectedKey={search.tab ?? 'roles'}
        onSelectionChange={(tab) => navigate({ search: { tab: String(tab) } })}
      >
        <TabList className="tabs" aria-label={words.title}>
          {(['roles', 'groups', 'explain'] as const).map((tab) => (
            <Tab key={tab} id={tab} className="tab">
              {words.tabs[tab]}
            </Tab>
          ))}
        </TabList>
        <TabPanel id="roles" className="privileges">
          <Roles />
        </TabPanel>
        <TabPanel id="groups" className="privileges">
          <Groups
            selected={search.group}
            onSelect={(group) => navigate({ search: group ? { tab: 'groups', group } : { tab: 'groups' } })}
          />
        </TabPanel>
        <TabPanel id="explain" className="privileges">
          <Explain
            asked={search}
            onAsk={(asked) => navigate({ search: { ...asked, tab: 'explain' }, replace: true })}
          />
        </TabPanel>
      </Tabs>
    </main>
  )
}
