import { createRootRoute, createRoute, createRouter, retainSearchParams } from '@tanstack/react-router'
import { questions } from './api/ask.ts'
import { treeOf } from './pages/topology/questions.ts'
import { NotFound } from './shell/NotFound.tsx'
import { PageFailure } from './shell/PageFailure.tsx'
import { Shell } from './shell/Shell.tsx'

/** The text parameters of the URL; other types are ignored. */
const texts =
  <Name extends string>(...names: Name[]) =>
  (search: Record<string, unknown>): { [N in Name]?: string } => {
    const kept: { [N in Name]?: string } = {}
    for (const name of names) {
      const value = search[name]
      if (typeof value === 'string' && value !== '') kept[name] = value
    }
    return kept
  }

/** Pages that can show the past: links between them stay at the moment. */
const keepingMoment = { middlewares: [retainSearchParams<{ as_of?: string | undefined }>(['as_of'])] }

/** The parameters of a page that can show the past. An undefined moment leaves it. */
const textsAndMoment =
  <Name extends string>(...names: Name[]) =>
  (search: Record<string, unknown>): { [N in Name]?: string } & { as_of?: string | undefined } => ({
    ...texts(...names)(search),
    ...texts('as_of')(search),
  })

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: texts('find'),
}).lazy(() => import('./pages/overview/Overview.tsx').then((page) => page.route))

const archived = createRoute({
  getParentRoute: () => root,
  path: '/archived',
  validateSearch: texts('find', 'start'),
}).lazy(() => import('./pages/archived/Archived.tsx').then((page) => page.route))

const topology = createRoute({
  getParentRoute: () => root,
  path: '/topology/$business',
  validateSearch: textsAndMoment('node', 'find', 'tab', 'q', 'filter', 'where', 'sort', 'start', 'columns'),
  search: keepingMoment,
  loader: ({ params }) => void questions.prefetchQuery(treeOf(Number(params.business))),
}).lazy(() => import('./pages/topology/Topology.tsx').then((page) => page.route))

const hosts = createRoute({
  getParentRoute: () => root,
  path: '/hosts',
  validateSearch: textsAndMoment('scope', 'q', 'filter', 'where', 'sort', 'start', 'columns'),
  search: keepingMoment,
}).lazy(() => import('./pages/hosts/Hosts.tsx').then((page) => page.route))

const host = createRoute({
  getParentRoute: () => root,
  path: '/hosts/$host',
  validateSearch: textsAndMoment('tab', 'direction', 'depth'),
  search: keepingMoment,
}).lazy(() => import('./pages/hosts/HostDetail.tsx').then((page) => page.route))

const queries = createRoute({
  getParentRoute: () => root,
  path: '/queries/$business',
  validateSearch: textsAndMoment('query', 'draft', 'use'),
  search: keepingMoment,
}).lazy(() => import('./pages/queries/Queries.tsx').then((page) => page.route))

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: texts(
    'business',
    'target',
    'type',
    'operator',
    'instance',
    'key',
    'reason',
    'name',
    'txn',
    'request',
    'view',
    'from',
    'to',
    'start',
    'record',
  ),
}).lazy(() => import('./pages/audit/Audit.tsx').then((page) => page.route))

const compare = createRoute({
  getParentRoute: () => root,
  path: '/compare',
  validateSearch: texts('business', 'query', 'object', 'instance', 'from', 'to', 'start'),
}).lazy(() => import('./pages/past/Compare.tsx').then((page) => page.route))

const privileges = createRoute({
  getParentRoute: () => root,
  path: '/privileges',
  validateSearch: texts('tab', 'group', 'user', 'operation', 'business'),
}).lazy(() => import('./pages/privileges/Privileges.tsx').then((page) => page.route))

const events = createRoute({
  getParentRoute: () => root,
  path: '/events',
  validateSearch: texts('tab', 'business', 'scope', 'find', 'start', 'resource', 'action'),
}).lazy(() => import('./pages/events/Events.tsx').then((page) => page.route))

const newSubscription = createRoute({
  getParentRoute: () => root,
  path: '/events/new',
  validateSearch: texts('business', 'event'),
}).lazy(() => import('./pages/events/EditSubscription.tsx').then((page) => page.newRoute))

const subscription = createRoute({
  getParentRoute: () => root,
  path: '/events/$subscription',
  validateSearch: texts('tab', 'attempt', 'after'),
}).lazy(() => import('./pages/events/Subscription.tsx').then((page) => page.route))

const editSubscription = createRoute({
  getParentRoute: () => root,
  path: '/events/$subscription/edit',
}).lazy(() => import('./pages/events/EditSubscription.tsx').then((page) => page.editRoute))

const model = createRoute({
  getParentRoute: () => root,
  path: '/model',
  validateSearch: texts('object', 'attribute'),
}).lazy(() => import('./pages/model/Model.tsx').then((page) => page.route))

const instances = createRoute({
  getParentRoute: () => root,
  path: '/instances/$object',
  validateSearch: texts('find', 'start'),
}).lazy(() => import('./pages/instances/Instances.tsx').then((page) => page.route))

const instance = createRoute({
  getParentRoute: () => root,
  path: '/instances/$object/$instance',
  validateSearch: texts('tab', 'direction', 'depth'),
}).lazy(() => import('./pages/instances/Instance.tsx').then((page) => page.route))

export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    archived,
    topology,
    queries,
    hosts,
    host,
    events,
    newSubscription,
    subscription,
    editSubscription,
    audit,
    compare,
    privileges,
    model,
    instances,
    instance,
  ]),
  defaultPreload: 'intent',
  // All of it is text: an address should read as people would write it.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const given = Object.entries(search as Record<string, string | undefined>)
    const text = new URLSearchParams(given.filter((each): each is [string, string] => each[1] !== undefined)).toString()
    return text && `?${text}`
  },
  defaultErrorComponent: PageFailure,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
