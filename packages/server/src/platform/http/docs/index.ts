// What there is to read about the service: the documentation as a site, and the API document for people and programs.
import type { Endpoint } from '@mainline/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Route } from '../route.ts'
import { openApi } from './openapi.ts'
import type { Site } from './site.ts'
import type { File } from './sources.ts'

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The documentation at /docs; the API document for programs at /openapi.json, and to try it out at /docs/api/try. */
export function serveDocs(app: FastifyInstance, routes: readonly Route[]): void {
  const endpoints = routes.map((route) => route.endpoint)
  const document = whenNeeded(() => openApi(endpoints))
  app.get('/openapi.json', async () => document())
  serveTrying(app, document)
  serveSite(app, endpoints)
}

/** Whoever never reads pays nothing for it: what makes the pages is loaded with the first of them. */
function whenNeeded<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined
  return () => {
    made ??= { it: make() }
    return made.it
  }
}

/** What shows that page is a server by itself, and gets what is asked below its address. */
function serveTrying(app: FastifyInstance, document: () => object): void {
  let opened: Promise<FastifyInstance> | undefined
  const pass = async (request: FastifyRequest, reply: FastifyReply) => {
    opened ??= import('./trying.ts').then(({ openTrying }) => openTrying(tryAt, document()))
    const { routing } = await opened
    reply.hijack()
    routing(request.raw, reply.raw)
  }
  app.get(tryAt, pass)
  app.get(`${tryAt}/*`, pass)
  app.addHook('onClose', async () => (await opened)?.close())
}

const tryAt = '/docs/api/try'

function serveSite(app: FastifyInstance, endpoints: readonly Endpoint[]): void {
  const open = whenNeeded((): Promise<Site> => import('./site.ts').then(({ openSite }) => openSite(endpoints)))
  const answer = (reply: FastifyReply, { type, bytes }: File) =>
    reply
      .header('content-type', type)
      .header('content-security-policy', policy)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'same-origin')
      .header('cross-origin-opener-policy', 'same-origin')
      .header('cache-control', 'no-cache')
      .send(bytes)
  app.get<{ Params: { '*'?: string } }>('/docs', async (_request, reply) =>
    answer(reply, (await open()).find('') as File),
  )
  app.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) => {
    const site = await open()
    const found = site.find(request.params['*'].replace(/\/$/, ''))
    if (found) return answer(reply, found)
    const isReader = request.headers.accept?.includes('text/html') === true
    return isReader ? answer(reply.code(404), site.missing()) : reply.callNotFound()
  })
}
