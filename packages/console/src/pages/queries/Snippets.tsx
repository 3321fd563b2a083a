import { type Endpoint, integrations, queries as operations } from '@mainline/contract'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { useSession } from '../../api/session.ts'
import { Button } from '../../kit/Button.tsx'
import { copyText } from '../../kit/clipboard.ts'
import { tell } from '../../kit/Toasts.tsx'
import { useWords } from '../../words/index.ts'
import { queries } from '../../words/queries.ts'

const ways = ['curl', 'csv', 'prometheus', 'ansible'] as const
type Way = (typeof ways)[number]

/** Commands to run a saved query elsewhere, ready to be copied. */
export function Snippets({ business, id }: { business: number; id: string | undefined }) {
  const words = useWords(queries)
  const open = useSession().data?.auth === 'open'
  const { use } = useSearch({ from: '/queries/$business' })
  const navigate = useNavigate({ from: '/queries/$business' })
  const way = ways.find((each) => each === use) ?? 'curl'
  if (!id) {
    return (
      <section>
        <h2>{words.use}</h2>
        <p className="quiet">{words.saveFirst}</p>
      </section>
    )
  }
  const texts = snippets(business, id, open)
  const copy = async () => {
    await copyText(texts[way])
    tell(words.copied)
  }
  return (
    <section>
      <h2>{words.use}</h2>
      <Tabs
        selectedKey={way}
        onSelectionChange={(key) => navigate({ search: (before) => ({ ...before, use: String(key) }), replace: true })}
      >
        <TabList className="tabs" aria-label={words.use}>
          {ways.map((each) => (
            <Tab key={each} id={each} className="tab">
              {words.ways[each]}
            </Tab>
          ))}
        </TabList>
        {ways.map((each) => (
          <TabPanel key={each} id={each} className="snippet">
            <p className="quiet">{words.hints[each]}</p>
            <pre>
              <code>{texts[each]}</code>
            </pre>
            <Button look="quiet" icon="copy" label={words.copy} onPress={copy} />
          </TabPanel>
        ))}
      </Tabs>
    </section>
  )
}

/** If callers must authenticate, each command contains a placeholder for a token. */
function snippets(business: number, id: string, open: boolean): Record<Way, string> {
  const addressOf = ({ path }: Endpoint) => {
    const values: Record<string, string | number> = { bk_biz_id: business, id, start: 0, limit: 200 }
    return `${location.origin}/api/v3${path.replace(/:(\w+)/g, (_, name: string) => String(values[name]))}`
  }
  const bearer = open ? '' : ` \\\n  -H "Authorization: Bearer $MAINLINE_TOKEN"`
  return {
    curl: `curl -s '${addressOf(operations.runQuery)}'${bearer}`,
    csv: `curl -s '${addressOf(integrations.queryCsv)}' -o hosts.csv${bearer}`,
    prometheus: [
      'scrape_configs:',
      '  - job_name: mainline',
      '    http_sd_configs:',
      `      - url: ${addressOf(integrations.prometheusTargets)}?port=9100`,
      ...(open ? [] : ['        authorization: { credentials_file: /etc/prometheus/mainline-token }']),
    ].join('\n'),
    ansible: [
      '# ANSIBLE_COLLECTIONS_PATH=integrations ansible-inventory -i hosts.mainline.yml --graph',
      ...(open ? [] : ['# The token is read from MAINLINE_TOKEN.']),
      'plugin: mainline.cmdb.saved_query',
      `url: ${location.origin}`,
      `business: ${business}`,
      `query: ${id}`,
    ].join('\n'),
  }
}
