import { callbacks, problem } from '@mainline/contract'
import { handle, type Route } from '../../../http/route.ts'
import { Forbidden, type Outbound, Unreachable } from '../../../outbound/index.ts'

/** Time limit of a test request, and how much of the answer is shown. */
const timeoutMs = 10_000
const maxBytes = 4_096
const maxBytesForAdministrators = 65_536

export function callbackRoutes(outbound: Outbound, admins: readonly string[]): Route[] {
  return [
    handle(callbacks.pingSubscription, async ({ actor, body: { callback_url, data } }) => {
      const maxAnswerBytes = admins.includes(actor.user) ? maxBytesForAdministrators : maxBytes
      const url = outbound.checkUrl(callback_url)
      const { status, body } = await outbound
        .post(url, { ...payloadOf(data), timeoutMs, maxAnswerBytes })
        .catch((error) => refuse(error, 'callbackFailed'))
      return [{ http_status: status, response_body: body.toString('utf8') }]
    }),

    handle(callbacks.testingConnection, async ({ body }) => {
      await outbound
        .reach(outbound.checkUrl(body.callback_url), { timeoutMs })
        .catch((error) => refuse(error, 'connectionFailed'))
      return 'success' as const
    }),
  ]
}

/** A string is sent as plain text, anything else as JSON. */
function payloadOf(data: unknown = {}): { body: string; headers: Record<string, string> } {
  if (typeof data === 'string') return { body: data, headers: { 'content-type': 'text/plain; charset=utf-8' } }
  return { body: JSON.stringify(data), headers: { 'content-type': 'application/json' } }
}

function refuse(error: unknown, kind: 'callbackFailed' | 'connectionFailed'): never {
  if (error instanceof Forbidden) throw problem('invalid', { field: 'callback_url', rule: error.why })
  if (error instanceof Unreachable) throw problem(kind, { why: error.why })
  throw error
}
