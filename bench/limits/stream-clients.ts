// Clients of event streams, in their own process: opens them, makes a change, and reports when the last one has received its event.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface StreamTask {
  readonly port: number
  readonly path: string
  readonly count: number
}

export interface StreamQuestion {
  readonly path: string
  readonly body: unknown
}

/** In milliseconds since the change was sent. */
export interface StreamTimes {
  readonly answered: number
  readonly last: number
  /** The message that every client has received. */
  readonly message: string
}

/** Connections opened concurrently. */
const opening = 50

async function serve(): Promise<void> {
  const [task] = (await once(process, 'message')) as [StreamTask]
  process.on('disconnect', () => process.exit())
  let waiting = 0
  let message = ''
  let received = () => {}
  const open = async (): Promise<Socket> => {
    const socket = connect(task.port, '127.0.0.1')
    socket.write(`GET ${task.path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n`)
    const first = String((await once(socket, 'data'))[0])
    if (!first.startsWith('HTTP/1.1 200')) throw new Error(first)
    socket.on('data', (part) => {
      // Heartbeats have no data.
      if (!part.includes('data: ') || --waiting > 0) return
      message = part.toString()
      received()
    })
    return socket
  }
  for (let opened = 0; opened < task.count; opened += opening) {
    await Promise.all(Array.from({ length: Math.min(opening, task.count - opened) }, open))
  }
  process.on('message', async ({ path, body }: StreamQuestion) => {
    waiting = task.count
    const all = new Promise<void>((resolve) => {
      received = resolve
    })
    const started = performance.now()
    const answer = await fetch(`http://127.0.0.1:${task.port}${path}`, { method: 'POST', body: JSON.stringify(body) })
    await answer.text()
    const answered = performance.now() - started
    await all
    process.send?.({ answered, last: performance.now() - started, message } satisfies StreamTimes)
  })
  process.send?.(task.count)
}

// Other modules import only its types.
if (process.send) await serve()
