import type { IncomingMessage } from 'node:http'
import { failed, type Problem, problem, rule } from '@mainline/contract'
import { present } from '../common/present.ts'
import type { Dialect } from './dialect.ts'

/** A longer URL that still fits into `maxHeadBytes` is refused with an error that names the URL. */
export const maxUrlLength = 16_384
/** Parser limit of request line and headers together; larger than the URL limit, so that the error can tell which of them is too long. */
export const maxHeadBytes = 32_768

export function refuseLongUrl(url: string): void {
  if (url.length <= maxUrlLength) return
  throw problem('urlTooLong', { rule: rule('atMostCharacters', { max: maxUrlLength, got: url.length }) })
}

/**
 * Request smuggling: a proxy may have used another `Host` than the first, or may forward transfer codings that Node treats as chunked
 * without decoding them. Requests that two parsers can read differently are refused.
 */
export function refuseAmbiguousHead({ headers, rawHeaders, httpVersionMinor }: IncomingMessage): void {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = present(rawHeaders[index])
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts > 1) throw problem('malformedRequest', { rule: rule('oneHost', { count: hosts }) })
  const coding = headers['transfer-encoding']
  if (coding === undefined || (coding.toLowerCase() === 'chunked' && httpVersionMinor > 0)) return
  throw problem('malformedRequest', { rule: rule('transferCoding', { coding: coding.slice(0, 100) }) })
}

/** An error of Node's HTTP parser. */
interface ParserError {
  readonly code?: string
  /** A Buffer at run time, despite Fastify's type. */
  readonly rawPacket?: unknown
}

export function parserProblem({ code, rawPacket }: ParserError): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return problem('requestTimeout')
  if (code !== 'HPE_HEADER_OVERFLOW') return problem('malformedRequest')
  const limit = { rule: rule('atMostBytes', { max: maxHeadBytes }) }
  return isWithinRequestLine(rawPacket) ? problem('urlTooLong', limit) : problem('headersTooLarge', limit)
}

/** Decidable only if the request starts with this packet; otherwise a header may be too long as well, and the answer names both. */
const isWithinRequestLine = (packet: unknown): boolean =>
  Buffer.isBuffer(packet) && /^[A-Z-]+ \S*$/.test(packet.subarray(0, maxHeadBytes).toString('latin1'))

/** A copy of http.STATUS_CODES: a named import from node:http would also load its client (undici). */
const reasons: Record<number, string> = {
  200: 'OK',
  400: 'Bad Request',
  408: 'Request Timeout',
  414: 'URI Too Long',
  431: 'Request Header Fields Too Large',
}

/** The raw HTTP response to bytes that could not be parsed as a request. */
export function writtenFailure(refused: Problem, { status, language }: Dialect): string {
  const body = JSON.stringify(failed(refused, language))
  const code = status(refused)
  const head = [
    `HTTP/1.1 ${code} ${reasons[code] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
