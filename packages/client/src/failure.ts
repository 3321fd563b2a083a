import { type Envelope, listProblems, type ProblemKind } from '@mainline/contract'

/** Kinds besides the catalogue: no answer, or an answer of another program or of a newer Mainline. */
export type FailureKind = ProblemKind | 'unreachable' | 'unrecognised'

/** By kind as well as by status: with --compat bk-cmdb, errors have status 200. */
const passingKinds: readonly FailureKind[] = [
  'unreachable',
  'tooManyRequests',
  'notReady',
  'outcomeUnknown',
  'keyRunning',
]

interface Told {
  readonly kind: FailureKind
  readonly text: string
  readonly code?: number
  readonly status?: number
  readonly requestId?: string
  readonly data?: unknown
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/** Why a call failed. */
export class Failure extends Error {
  readonly kind: FailureKind
  /** `bk_error_code`; 0 without an answer or with an unknown one. */
  readonly code: number
  /** The HTTP status; 0 without an answer. */
  readonly status: number
  /** `bk_error_msg`, in the language of the caller. */
  readonly text: string
  /** The request id, by which operators find the call in the server's log. */
  readonly requestId: string
  /** Details of some failures, such as the rows that were refused. */
  readonly data: unknown
  /** When to retry, in seconds, if the server named a time. */
  readonly retryAfter: number | undefined

  constructor(operation: string, { kind, text, code = 0, status = 0, requestId = '', data, retryAfter, cause }: Told) {
    super(`${operation}: ${text}`, { cause })
    this.name = 'Failure'
    this.kind = kind
    this.code = code
    this.status = status
    this.text = text
    this.requestId = requestId
    this.data = data ?? null
    this.retryAfter = retryAfter
  }

  /** Whether the same call may succeed later. */
  get passing(): boolean {
    return passingKinds.includes(this.kind) || this.status === 429 || this.status === 503
  }
}

/** For a request without an answer, or with an incomplete one. */
export const unreachable = (operation: string, cause: unknown) =>
  new Failure(operation, { kind: 'unreachable', text: `no answer: ${reasonOf(cause)}`, cause })

/** The message of fetch is generic; the reason is in its cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } }
  return cause?.message || cause?.code || message || String(error)
}

export const isEnvelope = (read: unknown): read is Envelope =>
  typeof read === 'object' && read !== null && 'result' in read && 'bk_error_code' in read

/** For an error response, with its parsed body. */
export function failureOf(operation: string, answer: Response, read: unknown): Failure {
  const { status, headers } = answer
  const told = { status, requestId: headers.get('cc_request_id') ?? '', retryAfter: retryAfterOf(headers) }
  if (!isEnvelope(read)) {
    return new Failure(operation, { ...told, kind: 'unrecognised', text: `HTTP ${status}, and not from Mainline` })
  }
  const { bk_error_code: code, bk_error_msg, data } = read
  return new Failure(operation, {
    ...told,
    kind: kindOf(code, { ...told, data }),
    code,
    text: bk_error_msg ?? '',
    data,
  })
}

/**
 * Some codes are shared by kinds that differ in their HTTP status. A request that is still in progress says when to retry, a conflict with
 * later changes does not. A cursor that is gone says where to resume, a moment that is gone does not.
 */
function kindOf(
  code: number,
  { status, retryAfter, data }: Pick<Failure, 'status' | 'retryAfter' | 'data'>,
): FailureKind {
  const known = listProblems().filter((each) => each.code === code)
  const kind = (known.find((each) => each.status === status) ?? known[0])?.kind ?? 'unrecognised'
  if (kind === 'cursorGone' && (data ?? null) === null) return 'momentGone'
  return kind === 'keyRunning' && retryAfter === undefined ? 'undoConflict' : kind
}

function retryAfterOf(headers: Headers): number | undefined {
  const sent = headers.get('retry-after')
  if (!sent) return undefined
  const seconds = /^\d+$/.test(sent) ? Number(sent) : (Date.parse(sent) - Date.now()) / 1_000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
