// Fastify sending fixed bytes: the limit of the framework.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'

export interface BareTask {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
}

const [task] = (await once(process, 'message')) as [BareTask]
process.on('disconnect', () => process.exit())

const app = fastify()
const body = Buffer.from(task.body)
app.post(task.path, async (_request, reply) => {
  reply.headers(task.headers)
  return body
})
await app.listen({ host: '127.0.0.1', port: 0 })
process.send?.((app.server.address() as AddressInfo).port)
