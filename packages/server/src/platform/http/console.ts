import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/** In the package that is installed, or beside us in the source. */
const places = ['../../../console/', '../../../../console/dist/'].map((place) => new URL(place, import.meta.url))
const built = places.map((place) => fileURLToPath(place)).find((place) => existsSync(`${place}index.html`))

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

/** Files of these folders are named by their content. */
const unchanging = /\/assets\//
/** A page of the console has an address like /topology/2: nothing that could be a file, nothing of the interface. */
const isPage = (path: string) => !/^\/(api|docs|assets)(\/|$)|\.[^/]*$/.test(path)

/** The console, if it has been built: `npm start` builds it. Every page of it is the same document. */
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
