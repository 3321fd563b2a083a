// node:http sending fixed bytes: the limit of the runtime.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BareTask } from './bare-fastify.ts'

const [task] = (await once(process, 'message')) as [BareTask]
process.on('disconnect', () => process.exit())

const body = Buffer.from(task.body)
const headers = { ...task.headers, 'content-length': body.length }
const server = createServer((_request, response) => response.writeHead(200, headers).end(body))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send?.((server.address() as AddressInfo).port)
