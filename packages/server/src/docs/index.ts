// The documentation as a site, and the API document for people and programs.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Dialect } from '../http/dialect.ts'
import type { RequestLog } from '../http/observe/request-log.ts'
import { plainPage, sendPage } from '../http/page.ts'
import type { Route } from '../http/route.ts'
import { asyncApi } from './asyncapi/asyncapi.ts'
import { openApi } from './openapi/openapi.ts'
import type { Site } from './site.ts'
import type { File } from './sources.ts'

const policyOf = (styles: string, images: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    `img-src ${images}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
const pagePolicy = policyOf("'self'", "'self'")
/** Swagger UI uses inline styles on its elements, and data URLs in its styles. */
const tryingPolicy = policyOf("'self' 'unsafe-inline'", "'self' data:")

/** The documentation at /docs; for programs the API document at /openapi.json and that of events at /asyncapi.json; to try it out at /docs/api/try. */
export function serveDocs(
  app: FastifyInstance,
  routes: readonly Route[],
  { dialect, requestLog }: { dialect: Dialect; requestLog: RequestLog },
): void {
  const endpoints = routes.map((route) => route.endpoint)
  const document = whenNeeded(() => openApi(endpoints, dialect))
  const open = whenNeeded((): Promise<Site> => import('./site.ts').then(({ openSite }) => openSite(endpoints, dialect)))
  for (const [path, read] of [
    ['/openapi.json', document],
    ['/asyncapi.json', asyncApi],
  ] as const) {
    const written = whenNeeded(() => plainPage('application/json', Buffer.from(JSON.stringify(read()))))
    app.get(path, (request, reply) => {
      const page = written()
      reply.header('content-type', page.type)
      return sendPage(page, request, reply)
    })
  }
  serveTrying(app, { document, open, requestLog })
  serveSite(app, open)
}

/** Rendering is loaded with the first page that is requested, so that servers that serve none do not pay for it. */
function whenNeeded<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined
  return () => {
    made ??= { it: make() }
    return made.it
  }
}

const tryAt = '/docs/api/try'
const assetsAt = `${tryAt}/static`

interface Trying {
  readonly document: () => object
  readonly open: () => Promise<Site>
  readonly requestLog: RequestLog
}

/** Our own page around Swagger UI, whose files come from a Fastify instance of its plugin. */
function serveTrying(app: FastifyInstance, { document, open, requestLog }: Trying): void {
  let opened: Promise<FastifyInstance> | undefined
  const passOn = async (request: FastifyRequest, reply: FastifyReply) => {
    opened ??= import('./trying.ts').then(({ openTrying }) => openTrying(tryAt, document()))
    const { routing } = await opened
    reply.hijack()
    const { raw } = reply
    raw.once('close', () => {
      const failure = raw.writableFinished ? undefined : new Error('the client has gone away')
      requestLog.streamed(request, reply, Number(raw.getHeader('content-length') ?? 0), failure)
    })
    routing(request.raw, raw)
  }
  const page = async (_request: FastifyRequest, reply: FastifyReply) =>
    answer(reply, (await open()).trying(assetsAt), tryingPolicy)
  app.get(tryAt, page)
  app.get(`${tryAt}/`, page)
  app.get(`${assetsAt}/*`, passOn)
  app.get(`${tryAt}/json`, passOn)
  app.addHook('onClose', async () => (await opened)?.close())
}

function serveSite(app: FastifyInstance, open: () => Promise<Site>): void {
  const page = async (path: string, reply: FastifyReply) => {
    const site = await open()
    const found = site.find(path)
    return found ? answer(reply, found) : answer(reply.code(404), site.missing(path))
  }
  app.get('/docs', (_request, reply) => page('', reply))
  app.get<{ Params: { '*': string } }>('/docs/*', (request, reply) =>
    page(request.params['*'].replace(/\/$/, ''), reply),
  )
}

const answer = (reply: FastifyReply, { type, bytes }: File, policy = pagePolicy) =>
  reply
    .header('content-type', type)
    .header('content-security-policy', policy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'same-origin')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('cache-control', 'no-cache')
    .send(bytes)
