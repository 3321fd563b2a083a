import { failed, type Problem, problem, rule } from '@mainline/contract'
import type { Dialect } from './compat.ts'

/** The longest URL; what is longer, and still fits in what may precede the body, is refused by name. */
export const maxUrlLength = 16_384
/** What the parser takes of request line and headers together: room to tell a URL that is too long from headers that are. */
export const maxHeadBytes = 32_768

export function refuseLongUrl(url: string): void {
  if (url.length <= maxUrlLength) return
  throw problem('urlTooLong', { rule: rule('atMostCharacters', { max: maxUrlLength, got: url.length }) })
}

/** What Node's parser could not make a request of. */
export interface ParserError {
  readonly code?: string
  /** A Buffer, whatever Fastify declares. */
  readonly rawPacket?: unknown
}

export function parserProblem({ code, rawPacket }: ParserError): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return problem('requestTimeout')
  if (code !== 'HPE_HEADER_OVERFLOW') return problem('malformedRequest')
  const limit = { rule: rule('atMostBytes', { max: maxHeadBytes }) }
  return isWithinRequestLine(rawPacket) ? problem('urlTooLong', limit) : problem('headersTooLarge', limit)
}

/** Seen only where the request begins with this packet; else it may be a header, and the answer names both. */
const isWithinRequestLine = (packet: unknown): boolean =>
  Buffer.isBuffer(packet) && /^[A-Z-]+ \S*$/.test(packet.subarray(0, maxHeadBytes).toString('latin1'))

/** Not from node:http: naming it in an import loads all that it has, a client of its own included. */
const reasons: Record<number, string> = {
  200: 'OK',
  400: 'Bad Request',
  408: 'Request Timeout',
  414: 'URI Too Long',
  431: 'Request Header Fields Too Large',
}

/** The answer to what never became a request, as it goes over the wire. */
export function writtenFailure(refused: Problem, { status, language }: Dialect): string {
  const body = JSON.stringify(failed(refused, language))
  const code = status(refused)
  const head = [
    `HTTP/1.1 ${code} ${reasons[code] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}
