import { areas } from '@mainline/contract'

/** A page of the site: where it is found below /docs, what the sidebar calls it, and what it is made from. */
export interface Entry {
  readonly path: string
  readonly title: string
  readonly source: Source
  /** One of many under the page above it. */
  readonly inner?: boolean
}

/** A file, named from the root of the project; or made from the contract, or from the settings, when it is asked for. */
export type Source =
  | { readonly file: string }
  | { readonly made: 'errors' | 'api' | 'settings' }
  | { readonly area: string }

export interface Group {
  readonly title: string
  readonly entries: readonly Entry[]
}

const page = (path: string, title: string, file = `docs/${path}.md`): Entry => ({ path, title, source: { file } })

export const pathOfArea = (area: string) => `api/${area.toLowerCase().replaceAll(' ', '-')}`

const decisions = [
  ['0001-runtime-pin', 'The runtime'],
  ['0002-two-engines', 'Two engines'],
  ['0003-one-log', 'One log'],
  ['0004-details-settled', 'Details settled'],
  ['0005-what-is-remembered', 'What is remembered'],
  ['0006-searchable-attributes', 'Searchable attributes'],
  ['0007-delivery', 'Delivery'],
  ['0008-identities', 'Identities'],
  ['0009-console-kit', 'The console’s kit'],
  ['0010-query-subscriptions', 'Followed queries'],
  ['0011-import-and-export', 'Import and export'],
  ['0012-packaging', 'Packaging'],
  ['0013-backup', 'Backups'],
  ['0014-documentation', 'Documentation'],
  ['0015-a-long-log', 'A log of ten million records'],
  ['0016-a-fast-start', 'A fast start'],
  ['0017-a-turn-for-the-model', 'A turn for the model'],
] as const

/** Everything there is to read, in the order in which it is best read. */
export const contents: readonly Group[] = [
  {
    title: 'Tour',
    entries: [
      page('', 'What Mainline is', 'docs/index.md'),
      page('tour', 'The first ten minutes'),
      page('prometheus', 'From zero to Prometheus'),
    ],
  },
  {
    title: 'Concepts',
    entries: [
      page('concepts/main-line', 'The main line'),
      page('concepts/placement', 'Where hosts are placed'),
      page('concepts/log', 'The log and events'),
      page('concepts/privileges', 'Who may do what'),
    ],
  },
  {
    title: 'Guides',
    entries: [
      page('guides/use-the-interface', 'Automation over HTTP'),
      page('guides/command-line', 'The command line'),
      page('guides/events', 'Events and webhooks'),
      page('guides/privileges', 'Giving privileges'),
      page('guides/import-export', 'Import and export'),
      page('guides/migrate', 'Moving from bk-cmdb'),
    ],
  },
  {
    title: 'Operations',
    entries: [
      page('guides/install', 'Installing'),
      page('guides/identities', 'Identities'),
      page('guides/reverse-proxy', 'Reverse proxy'),
      page('guides/operate', 'Operating it'),
      page('guides/metrics', 'Logs, probes, metrics'),
      page('guides/capacity', 'Capacity'),
      page('security', 'Security'),
      page('trust', 'What is promised'),
    ],
  },
  {
    title: 'Integrations',
    entries: [
      page('guides/integrations', 'Prometheus, Ansible, Grafana'),
      page('client', 'From TypeScript', 'packages/client/README.md'),
      page('guides/bk-cmdb', 'Clients of bk-cmdb'),
    ],
  },
  {
    title: 'Reference',
    entries: [
      { path: 'api', title: 'The interface', source: { made: 'api' } },
      ...areas.map((area) => ({ path: pathOfArea(area), title: area, source: { area }, inner: true })),
      { path: 'errors', title: 'Errors', source: { made: 'errors' } },
      { path: 'settings', title: 'Settings', source: { made: 'settings' } },
    ],
  },
  {
    title: 'Project',
    entries: [
      page('comparison', 'Compared with others'),
      page('changelog', 'Changelog', 'CHANGELOG.md'),
      page('contributing', 'Contributing', 'CONTRIBUTING.md'),
      page('architecture', 'Architecture', 'ARCHITECTURE.md'),
      ...decisions.map(([file, title]) => ({ ...page(`decisions/${file}`, title), inner: true })),
    ],
  },
]

export const entries: readonly Entry[] = contents.flatMap((group) => group.entries)
