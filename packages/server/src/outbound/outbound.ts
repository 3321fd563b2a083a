import { connect, isIP } from 'node:net'
import { problem } from '@mainline/contract'
import type { Agent, buildConnector, Dispatcher } from 'undici'
import { asError } from '../common/error-code.ts'
import type { AddressRules } from './address.ts'
import { Exchange, type OutboundAnswer, type Posting } from './exchange.ts'
import { Forbidden, failureOf, tooSlow } from './failure.ts'
import { type Guard, guardOf, type Resolve, systemResolve } from './guard.ts'
import { credentialsOf, literalAddress, portOf, readUrl, withoutBrackets } from './url.ts'

/** Maximum sockets per origin; further requests wait. */
const socketsPerOrigin = 256
const idleSocketMs = 10_000
const connectTimeoutMs = 10_000

export interface OutboundOptions extends AddressRules {
  /** The resolver; that of the operating system by default. */
  readonly resolve?: Resolve
}

export interface Outbound {
  /** Parses a callback address and refuses forbidden ones, as far as possible without resolving its name. */
  checkUrl(text: string): URL
  /** Returns the answer, whatever its status; redirects are not followed. Rejects with Unreachable or Forbidden. */
  post(url: URL, posting: Posting): Promise<OutboundAnswer>
  /** Connects and disconnects. Rejects like `post`. */
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
    // An IP address in the URL is checked when connecting, like a resolved one.
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

/** Imported on first use, because loading undici takes a large part of the start-up time. */
async function openAgent(guard: Guard): Promise<Agent> {
  const { Agent, buildConnector } = await import('undici')
  return new Agent({
    connect: connectorOf(guard, buildConnector({ allowH2: false, timeout: connectTimeoutMs, lookup: guard.lookup })),
    connections: socketsPerOrigin,
    allowH2: false,
    keepAliveTimeout: idleSocketMs,
    keepAliveMaxTimeout: idleSocketMs,
    // Disabled in favour of one deadline for the whole exchange.
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
      return callback(asError(error), null)
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
