import swagger, { type SwaggerOptions } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import fastify, { type FastifyInstance } from 'fastify'

/** The page styles its elements as it goes; scripts come from here alone. */
const policy = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The page on which the operations of an API document are tried out, at a path. */
export async function openTrying(path: string, document: object): Promise<FastifyInstance> {
  const app = fastify()
  await app.register(swagger, { mode: 'static', specification: { document } } as unknown as SwaggerOptions)
  await app.register(swaggerUi, { routePrefix: path, staticCSP: policy })
  await app.ready()
  return app
}
