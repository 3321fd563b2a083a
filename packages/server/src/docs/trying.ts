import swagger, { type SwaggerOptions } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import fastify, { type FastifyInstance } from 'fastify'

/** Swagger UI below a path: its files, and the document that it shows. The page itself is ours. */
export async function openTrying(path: string, document: object): Promise<FastifyInstance> {
  const app = fastify()
  await app.register(swagger, { mode: 'static', specification: { document } } as unknown as SwaggerOptions)
  // Without Swagger's own top bar: the page has ours.
  await app.register(swaggerUi, { routePrefix: path, uiConfig: { layout: 'BaseLayout' } })
  await app.ready()
  return app
}
