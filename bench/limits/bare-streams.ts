// node:http that keeps every GET open and writes fixed bytes to all of them on each POST.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const [task] = (await once(process, 'message')) as [{ message: string }]
process.on('disconnect', () => process.exit())

const open = new Set<ServerResponse>()
const message = Buffer.from(task.message)
const server = createServer((request, response) => {
  if (request.method === 'POST') {
    response.end('{}')
    for (const each of open) each.write(message)
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('id: 0\n:\n\n')
  open.add(response)
  response.on('close', () => open.delete(response))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send?.((server.address() as AddressInfo).port)
