// What there is to read about the service: the documentation as a site, and the API document for people and programs.
import swagger, { type SwaggerOptions } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { Endpoint } from '@mainline/contract'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Route } from '../route.ts'
import { openApi } from './openapi.ts'
import type { Site } from './site.ts'
import type { File } from './sources.ts'

/** The page where operations are tried out styles its elements as it goes; scripts come from here alone. */
const triedOut = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

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
export async function serveDocs(app: FastifyInstance, routes: readonly Route[]): Promise<void> {
  const endpoints = routes.map((route) => route.endpoint)
  const document = openApi(endpoints)
  app.get('/openapi.json', async () => document)
  await app.register(swagger, { mode: 'static', specification: { document } } as unknown as SwaggerOptions)
  await app.register(swaggerUi, { routePrefix: '/docs/api/try', staticCSP: triedOut })
  serveSite(app, endpoints)
}

function serveSite(app: FastifyInstance, endpoints: readonly Endpoint[]): void {
  let opened: Promise<Site> | undefined
  // Whoever never reads pays nothing for it: what renders the pages is loaded with the first of them.
  const open = () => (opened ??= import('./site.ts').then(({ openSite }) => openSite(endpoints)))
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
