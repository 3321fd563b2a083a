// Request headers of a change: its reason (`X-Change-Reason`), the expected revision (`If-Match`), and the key for safe retries
// (`Idempotency-Key`).
import { hash } from 'node:crypto'
import { type Endpoint, problem, rule, storesChange } from '@mainline/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, IdempotentRequest } from '../../storage/index.ts'

const maxReasonCharacters = 500
const printable = /^[\x20-\x7e]{1,128}$/

export function withTerms<Caller extends Actor>(caller: Caller, endpoint: Endpoint, request: FastifyRequest): Caller {
  const { headers } = request
  const [reason, match, key] = [headers['x-change-reason'], headers['if-match'], headers['idempotency-key']]
  if (reason === undefined && match === undefined && key === undefined) return caller
  return {
    ...caller,
    ...(reason !== undefined && { reason: readReason(String(reason)) }),
    ...(match !== undefined && match.trim() !== '*' && { expectedRevision: readRevision(endpoint, match) }),
    ...(key !== undefined &&
      storesChange(endpoint) && {
        idempotent: new IdempotentRequest(readKey(endpoint, String(key)), requestHash(request)),
      }),
  }
}

type TermRule = 'revisionTag' | 'printableKey' | 'notForImports' | 'percentEncoded' | 'oneInstance' | 'text'

const invalid = (field: string, kind: TermRule) => problem('invalid', { field, rule: rule(kind) })

/** Node decodes headers as Latin-1; re-encoding them accepts UTF-8 text that was sent without percent-encoding. */
function readReason(sent: string): string {
  const field = 'X-Change-Reason'
  const reason = percentDecoded(Buffer.from(sent, 'latin1').toString('utf8'))?.trim()
  if (reason === undefined) throw invalid(field, 'percentEncoded')
  if (/[\p{Cc}\ufffd]/u.test(reason)) throw invalid(field, 'text')
  const got = [...reason].length
  if (got > maxReasonCharacters) {
    throw problem('invalid', { field, rule: rule('atMostCharacters', { max: maxReasonCharacters, got }) })
  }
  return reason
}

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function readRevision(endpoint: Endpoint, sent: string): number {
  if (!endpoint.conditional) throw invalid('If-Match', 'oneInstance')
  const [, digits] = /^"([1-9]\d{0,14})"$/.exec(sent.trim()) ?? []
  if (digits === undefined) throw invalid('If-Match', 'revisionTag')
  return Number(digits)
}

/** The changes of an import depend on existing rows, so a retry could not match them to those of the first attempt. */
function readKey({ takes }: Endpoint, sent: string): string {
  if (takes) throw invalid('Idempotency-Key', 'notForImports')
  if (!printable.test(sent)) throw invalid('Idempotency-Key', 'printableKey')
  return sent
}

const requestHash = ({ method, url, bodyHash }: FastifyRequest): string =>
  hash('sha256', `${method} ${url}\n${bodyHash}`, 'base64')

/** Idempotency keys whose first request is still running in this process. Between processes, the storage checks this. */
export class RunningKeys {
  readonly #running = new Set<string>()

  async once<T>({ account, user, idempotent }: Actor, answer: () => Promise<T>, reply: FastifyReply): Promise<T> {
    const name = JSON.stringify([account, user, idempotent?.key])
    if (this.#running.has(name)) throw problem('keyRunning', { retryAfter: 1 })
    this.#running.add(name)
    try {
      return await answer()
    } finally {
      // Set for errors as well: a partial failure, of which some rows were added, is stored and replayed.
      if (idempotent?.replayed) reply.header('idempotency-replayed', 'true')
      this.#running.delete(name)
    }
  }
}
