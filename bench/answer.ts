import type { BareTask } from './limits/bare-fastify.ts'

/** The response of a server, to be sent by a bare one: all headers except those that Node and Fastify add themselves. */
export async function answerOf(port: number, path: string, request: RequestInit = {}): Promise<BareTask> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, request)
  const body = await answer.text()
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}:\n${body}`)
  const own = ['date', 'connection', 'keep-alive', 'content-length']
  return { path, headers: Object.fromEntries([...answer.headers].filter(([name]) => !own.includes(name))), body }
}
