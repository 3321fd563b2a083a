import swagger, { type SwaggerOptions } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { openApi } from './openapi.ts'
import type { Route } from './route.ts'

/** The page styles its elements as it goes; scripts come from here alone. */
const policy = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The API document, to read by machine at /openapi.json and in a browser at /docs. */
export async function serveDocs(app: FastifyInstance, routes: readonly Route[]): Promise<void> {
  const document = openApi(routes.map((route) => route.endpoint))
  app.get('/openapi.json', async () => document)
  await app.register(swagger, { mode: 'static', specification: { document } } as unknown as SwaggerOptions)
  await app.register(swaggerUi, { routePrefix: '/docs', staticCSP: policy })
}
