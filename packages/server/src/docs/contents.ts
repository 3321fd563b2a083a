import { areas } from '@mainline/contract'

/** A page of the site: its path below /docs, its title in the sidebar, and its source. */
export interface Entry {
  readonly path: string
  readonly title: string
  readonly source: Source
  /** A child of the page above it. */
  readonly inner?: boolean
}

/** A file relative to the root of the project; or generated from the contract or the settings on request. */
export type Source =
  | { readonly file: string }
  | { readonly made: 'errors' | 'api' | 'settings' }
  | { readonly area: string }

interface PageGroup {
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
  ['0018-revisions', 'Revisions, conditions and keys'],
  ['0019-upgrades-without-a-pause', 'Upgrades without a pause'],
  ['0020-histories', 'Histories that go back'],
  ['0021-bounded-matching', 'Bounded matching'],
  ['0022-signed-seals', 'Signed and witnessed seals'],
  ['0023-libraries', 'Libraries and what is written by hand'],
  ['0024-one-server-package', 'The command line and the documentation in one package'],
  ['0025-fewer-round-trips', 'Fewer round trips on PostgreSQL'],
  ['0026-cached-matches', 'Ids of matching hosts are cached'],
  ['0027-unique-rules', 'Unique rules'],
  ['0028-undo', 'Undo on recorded rows'],
  ['0029-the-past', 'The past'],
  ['0030-history-from-the-log', 'History from the log'],
  ['0031-associations', 'Rules of associations'],
  ['0032-columns-of-hosts', 'Values of hosts in columns'],
] as const

/** All pages, in reading order. */
export const contents: readonly PageGroup[] = [
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
      page('concepts/associations', 'Associations'),
      page('concepts/unique-rules', 'Unique rules'),
      page('concepts/log', 'The log and events'),
      page('concepts/seals', 'Sealed, signed, witnessed'),
      page('concepts/privileges', 'Who may do what'),
    ],
  },
  {
    title: 'Guides',
    entries: [
      page('guides/use-the-interface', 'Automation over HTTP'),
      page('guides/history', 'History: find, restore, prove'),
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
      page('security-policy', 'Reporting a vulnerability', 'SECURITY.md'),
      page('trust', 'What is promised'),
    ],
  },
  {
    title: 'Integrations',
    entries: [
      page('guides/integrations', 'Prometheus, Ansible, Grafana'),
      page('client', 'From TypeScript', 'packages/client/README.md'),
      page('python', 'From Python', 'packages/python/README.md'),
      page('go', 'From Go', 'packages/go/README.md'),
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
      page('versioning', 'Versions and stability', 'VERSIONING.md'),
      page('contributing', 'Contributing', 'CONTRIBUTING.md'),
      page('architecture', 'Architecture', 'ARCHITECTURE.md'),
      ...decisions.map(([file, title]) => ({ ...page(`decisions/${file}`, title), inner: true })),
    ],
  },
]

export const entries: readonly Entry[] = contents.flatMap((group) => group.entries)
