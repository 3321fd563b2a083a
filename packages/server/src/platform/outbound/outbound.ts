import { connect, isIP } from 'node:net'
import { problem } from '@mainline/contract'
import type { Agent, buildConnector, Dispatcher } from 'undici'
import type { AddressRules } from './address.ts'
import { Exchange, type OutboundAnswer, type Posting } from './exchange.ts'
import { Forbidden, failureOf, tooSlow } from './failure.ts'
import { type Guard, guardOf, type Resolve, systemResolve } from './guard.ts'
import { credentialsOf, literalAddress, portOf, readUrl, withoutBrackets } from './url.ts'

/** Sockets to one origin at most; more requests wait for one of them. */
const socketsPerOrigin = 256
/** How long a connection that nobody uses is kept, and how long making one may take, in milliseconds. */
const keptIdle = 10_000
const connectTime = 10_000

export interface OutboundOptions extends AddressRules {
  /** How names become addresses; the system's way by default. */
  readonly resolve?: Resolve
}

export interface Outbound {
  /** Reads a callback address and refuses one that may not be called, as far as can be seen without looking it up. */
  checkUrl(text: string): URL
  /** The answer, whatever its status; redirects are answers. Rejects with Unreachable or Forbidden. */
  post(url: URL, posting: Posting): Promise<OutboundAnswer>
  /** Connects and lets go. Rejects like post. */
  reach(url: URL, options: { readonly timeoutMs: number }): Promise<void>
  close(): Promise<void>
}

export function createOutbound({ resolve = systemResolve, ...rules }: OutboundOptions): Outbound {
  const guard = guardOf(rules, resolve)
  let opened: Promise<Agent> | undefined
  let agent: Agent | undefined
  return {
    checkUrl(text) {
      const url = readUrl(text)
      try {
        refuseLiteral(guard, url)
      } catch (error) {
        throw error instanceof Forbidden ? problem('invalid', { field: 'callback_url', rule: error.why }) : error
      }
      return url
    },
    // An address in the URL is checked when it is connected to, like one that was looked up.
    post: (url, posting) => {
      if (agent) return send(agent, url, posting)
      opened ??= openAgent(guard)
      return opened.then((ready) => {
        agent = ready
        return send(ready, url, posting)
      })
    },
    reach: async (url, { timeoutMs }) => {
      refuseLiteral(guard, url)
      return touch(guard, url, timeoutMs)
    },
    close: async () => (await opened)?.destroy(),
  }
}

/** Loaded when it is first used: it takes a good part of the time that starting takes. */
async function openAgent(guard: Guard): Promise<Agent> {
  const { Agent, buildConnector } = await import('undici')
  return new Agent({
    connect: connectorOf(guard, buildConnector({ allowH2: false, timeout: connectTime, lookup: guard.lookup })),
    connections: socketsPerOrigin,
    allowH2: false,
    keepAliveTimeout: keptIdle,
    keepAliveMaxTimeout: keptIdle,
    // Ours is one deadline for everything.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

function refuseLiteral(guard: Guard, url: URL): void {
  const address = literalAddress(url)
  if (address !== undefined) guard.literal(address, address)
}

function connectorOf(guard: Guard, connectTo: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    const hostname = withoutBrackets(options.hostname)
    try {
      if (isIP(hostname) !== 0) guard.literal(hostname, hostname)
    } catch (error) {
      return callback(error as Error, null)
    }
    connectTo(options, callback)
  }
}

const send = (agent: Agent, url: URL, posting: Posting): Promise<OutboundAnswer> =>
  new Promise((resolve, reject) => {
    if (posting.signal?.aborted) return reject(posting.signal.reason)
    agent.dispatch(requestOf(url, posting), new Exchange(url.hostname, posting, resolve, reject))
  })

const requestOf = (url: URL, { headers, body }: Posting): Dispatcher.DispatchOptions & { origin: string } => ({
  origin: url.origin,
  path: url.pathname + url.search,
  method: 'POST',
  headers: { 'user-agent': 'mainline', ...credentialsOf(url), ...headers },
  body,
})

function touch(guard: Guard, url: URL, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const host = withoutBrackets(url.hostname)
    const socket = connect({ host, port: portOf(url), lookup: guard.lookup })
    const finish = (how: () => void) => {
      clearTimeout(deadline)
      socket.destroy()
      how()
    }
    const deadline = setTimeout(() => finish(() => reject(tooSlow(url.hostname, timeoutMs))), timeoutMs)
    socket.once('connect', () => finish(resolve))
    socket.on('error', (error) => finish(() => reject(failureOf(error, url.hostname))))
  })
}
