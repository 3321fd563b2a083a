import { chmodSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Logger } from 'pino'
import type { TokenDesk } from '../platform/http/identity/index.ts'
import { Refusal } from '../platform/refusal.ts'
import type { Service } from '../service.ts'

/** In the data directory: whoever may write there could change the tokens anyway, and nobody else can reach it. */
const addressOf = (dataDir: string) => join(dataDir, 'desk.sock')

type Question = { [Name in keyof TokenDesk]: { ask: Name; with: Parameters<TokenDesk[Name]> } }[keyof TokenDesk]
type Reply = { done: unknown } | { refused: string; exitCode?: number }

/**
 * Embedded storage is written by one process, so a command that runs beside the server asks it. Without a socket (the path
 * of one may not be long) the server serves all the same.
 */
export async function attendDesk({ tokens, app }: Pick<Service, 'tokens' | 'app'>, dataDir: string, log: Logger) {
  const address = addressOf(dataDir)
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    // A command that has gone away needs no answer.
    socket.on('error', () => {})
    attend(tokens, socket).catch((error) => log.error({ err: error }, 'a command was not answered'))
  })
  try {
    // Left over from a server that was killed: the lock on the directory says that there is no other.
    rmSync(address, { force: true })
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(address, resolve))
    chmodSync(address, 0o600)
    app.addHook('onClose', async () => void server.close())
  } catch (error) {
    log.warn({ err: error }, `'mainline token' works only while this server is stopped: ${address} cannot be used`)
  }
}

async function attend(tokens: TokenDesk, socket: Socket): Promise<void> {
  // Read without `text`, which closes the socket that the answer is to take.
  const asked = Buffer.concat(await Array.fromAsync(socket.iterator({ destroyOnReturn: false }))).toString()
  // Somebody only looked whether we are here.
  if (asked === '') return void socket.end()
  const reply = await answer(tokens, JSON.parse(asked)).catch((error) => {
    socket.end(JSON.stringify({ refused: 'The server could not do it; its log says why.' } satisfies Reply))
    throw error
  })
  socket.end(JSON.stringify(reply))
}

async function answer(tokens: TokenDesk, { ask, with: values }: Question): Promise<Reply> {
  try {
    return { done: await (tokens[ask] as (...all: unknown[]) => Promise<unknown>)(...values) }
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message, exitCode: error.exitCode }
    throw error
  }
}

/** The desk of the server that runs on the data directory; undefined while none does. */
export async function reachDesk(dataDir: string): Promise<TokenDesk | undefined> {
  const ask =
    <Name extends keyof TokenDesk>(name: Name) =>
    async (...values: unknown[]) => {
      const socket = await reach(dataDir)
      if (!socket) throw new Refusal('The server has just stopped. Try again.')
      socket.end(JSON.stringify({ ask: name, with: values }))
      const reply = JSON.parse(await text(socket)) as Reply
      if ('refused' in reply) throw new Refusal(reply.refused, reply.exitCode)
      return reply.done as never
    }
  const probe = await reach(dataDir)
  probe?.destroy()
  return probe && { create: ask('create'), list: ask('list'), revoke: ask('revoke') }
}

function reach(dataDir: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ path: addressOf(dataDir), allowHalfOpen: true })
    socket.once('connect', () => resolve(socket)).once('error', () => resolve(undefined))
  })
}
