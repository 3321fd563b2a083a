import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

const built = fileURLToPath(new URL('../../../../console/dist/', import.meta.url))

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** The console, if it has been built: `npm start` builds it. */
export async function serveConsole(app: FastifyInstance): Promise<void> {
  if (!existsSync(built)) {
    app.get('/', async () => 'The console has not been built: run npm start, or npm run build in packages/console.\n')
    return
  }
  await app.register(fastifyStatic, {
    root: built,
    setHeaders: (reply) => {
      reply.header('content-security-policy', policy)
      reply.header('x-content-type-options', 'nosniff')
      reply.header('referrer-policy', 'same-origin')
    },
  })
}
