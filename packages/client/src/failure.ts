import { type Envelope, listProblems, type ProblemKind } from '@mainline/contract'

/** Besides what the catalogue knows: nothing answered, or something that is not Mainline or is newer than this client. */
export type FailureKind = ProblemKind | 'unreachable' | 'unrecognised'

/** By kind as well as by status: to clients of bk-cmdb, failures come with status 200. */
const passingKinds: readonly FailureKind[] = ['unreachable', 'tooManyRequests', 'notReady', 'outcomeUnknown']

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

/** Why a call did not succeed. */
export class Failure extends Error {
  readonly kind: FailureKind
  /** `bk_error_code`; 0 when nothing or nothing known answered. */
  readonly code: number
  /** Of HTTP; 0 when nothing answered. */
  readonly status: number
  /** `bk_error_msg`, in the language of the caller. */
  readonly text: string
  /** What operators find the call by in the server's log. */
  readonly requestId: string
  /** What some failures tell besides: which rows were bad, for instance. */
  readonly data: unknown
  /** When to try again, in seconds, if the server said so. */
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

/** Of a request that was not answered, or not to the end. */
export const unreachable = (operation: string, cause: unknown) =>
  new Failure(operation, { kind: 'unreachable', text: `no answer: ${reasonOf(cause)}`, cause })

/** Fetch says no more than that it failed; what it knows is the cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } }
  return cause?.message || cause?.code || message || String(error)
}

export const isEnvelope = (read: unknown): read is Envelope =>
  typeof read === 'object' && read !== null && 'result' in read && 'bk_error_code' in read

/** Of an answer that was no success, and what was read in it. */
export function failureOf(operation: string, answer: Response, read: unknown): Failure {
  const { status, headers } = answer
  const told = { status, requestId: headers.get('cc_request_id') ?? '', retryAfter: retryAfterOf(headers) }
  if (!isEnvelope(read)) {
    return new Failure(operation, { ...told, kind: 'unrecognised', text: `HTTP ${status}, and not from Mainline` })
  }
  const { bk_error_code: code, bk_error_msg, data } = read
  return new Failure(operation, { ...told, kind: kindOf(code, status), code, text: bk_error_msg ?? '', data })
}

/** Some codes are shared by kinds that differ in their HTTP status. */
const kindOf = (code: number, status: number): FailureKind => {
  const known = listProblems().filter((each) => each.code === code)
  return (known.find((each) => each.status === status) ?? known[0])?.kind ?? 'unrecognised'
}

function retryAfterOf(headers: Headers): number | undefined {
  const sent = headers.get('retry-after')
  if (!sent) return undefined
  const seconds = /^\d+$/.test(sent) ? Number(sent) : (Date.parse(sent) - Date.now()) / 1_000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
