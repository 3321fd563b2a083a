import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/** In the installed package, or in the source tree. */
const consoleFolders = ['../../console/', '../../../console/dist/'].map((place) => new URL(place, import.meta.url))
const built = consoleFolders.map((place) => fileURLToPath(place)).find((place) => existsSync(`${place}index.html`))

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** Names in these folders contain a content hash, so the files can be cached indefinitely. */
const unchanging = /\/assets\//
/** Paths of the console's router, such as /topology/2: neither a file nor part of the API. */
const isPage = (path: string) => !/^\/(api|docs|assets)(\/|$)|\.[^/]*$/.test(path)

/** Serves the console if it has been built (`npm start` builds it). It is a single-page app: every page is index.html. */
export async function serveConsole(app: FastifyInstance): Promise<void> {
  if (built === undefined) {
    app.get('/', async () => 'The console has not been built: run npm start, or npm run build in packages/console.\n')
    return
  }
  await app.register(fastifyStatic, {
    root: built,
    serve: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.header('content-security-policy', policy)
      reply.header('x-content-type-options', 'nosniff')
      reply.header('referrer-policy', 'same-origin')
      reply.header('cross-origin-opener-policy', 'same-origin')
      reply.header('cache-control', unchanging.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
  app.get('/*', (request, reply) => {
    const path = request.url.split('?')[0] ?? '/'
    if (isPage(path)) return reply.sendFile('index.html')
    return /^\/api(\/|$)/.test(path) ? reply.callNotFound() : reply.sendFile(path)
  })
}
