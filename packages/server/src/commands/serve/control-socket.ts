import { chmodSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Logger } from 'pino'
import { readOwnJson } from '../../common/own-json.ts'
import { Refusal } from '../../common/refusal.ts'
import type { SessionAdmin, TokenAdmin } from '../../identity/index.ts'
import type { Service } from '../../service.ts'

/** In the data directory: a user who may write there can change tokens anyway, and other users cannot reach it. */
const socketPath = (dataDir: string) => join(dataDir, 'control.sock')

/** Requests from commands to the process that owns the storage. */
export type AccessAdmin = TokenAdmin & SessionAdmin

type Question = { [Name in keyof AccessAdmin]: { ask: Name; with: Parameters<AccessAdmin[Name]> } }[keyof AccessAdmin]
type Reply = { done: unknown } | { refused: string; exitCode?: number }

/**
 * Only one process writes embedded storage, so a command that runs beside the server sends its request here. If the socket cannot be opened
 * (its path must be short), the server runs without it.
 */
export async function openControlSocket(
  { accessAdmin, app }: Pick<Service, 'accessAdmin' | 'app'>,
  dataDir: string,
  log: Logger,
) {
  const address = socketPath(dataDir)
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    // The command has ended and needs no answer.
    socket.on('error', () => {})
    attend(accessAdmin, socket).catch((error) => log.error({ err: error }, 'a control command failed'))
  })
  try {
    // Left by a killed server: the lock on the directory proves that no other server runs.
    rmSync(address, { force: true })
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(address, resolve))
    chmodSync(address, 0o600)
    app.addHook('onClose', async () => void server.close())
  } catch (error) {
    log.warn(
      { err: error },
      `'mainline token' and 'mainline sessions' work only while this server is stopped: ${address} cannot be used`,
    )
  }
}

async function attend(accessAdmin: AccessAdmin, socket: Socket): Promise<void> {
  // Read without `text`, which would close the socket before the answer is written.
  const asked = Buffer.concat(await Array.fromAsync(socket.iterator({ destroyOnReturn: false }))).toString()
  // A connection without a request only checks that the server runs.
  if (asked === '') return void socket.end()
  const reply = await answer(accessAdmin, JSON.parse(asked)).catch((error) => {
    socket.end(JSON.stringify({ refused: 'The server failed to execute the command; see its log.' } satisfies Reply))
    throw error
  })
  socket.end(JSON.stringify(reply))
}

async function answer(accessAdmin: AccessAdmin, { ask, with: values }: Question): Promise<Reply> {
  try {
    return { done: await (accessAdmin[ask] as (...all: unknown[]) => Promise<unknown>)(...values) }
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message, exitCode: error.exitCode }
    throw error
  }
}

/** Connects to the server of this data directory; undefined if none runs. */
export async function connectControlSocket(dataDir: string): Promise<AccessAdmin | undefined> {
  const ask =
    <Name extends keyof AccessAdmin>(name: Name) =>
    async (...values: unknown[]) => {
      const socket = await reach(dataDir)
      if (!socket) throw new Refusal('The server has just stopped. Retry the command.')
      socket.end(JSON.stringify({ ask: name, with: values }))
      const reply = readOwnJson<Reply>(await text(socket))
      if ('refused' in reply) throw new Refusal(reply.refused, reply.exitCode)
      return reply.done as never
    }
  const probe = await reach(dataDir)
  probe?.destroy()
  return (
    probe && {
      create: ask('create'),
      list: ask('list'),
      revoke: ask('revoke'),
      listSessions: ask('listSessions'),
      endSessions: ask('endSessions'),
    }
  )
}

function reach(dataDir: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ path: socketPath(dataDir), allowHalfOpen: true })
    socket.once('connect', () => resolve(socket)).once('error', () => resolve(undefined))
  })
}
