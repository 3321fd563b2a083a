// Checks responses to arbitrary requests.
import { type Endpoint, type Envelope, listProblems } from '@mainline/contract'
import { Compile } from 'typebox/compile'
import { refusalsOf } from '../../packages/server/src/docs/reference/refusals.ts'
import { asDocumented } from '../../packages/server/src/http/dialect.ts'

export interface Answer {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly text: string
  /** A stream that started, or a wait that the caller aborted. */
  readonly goesOn: boolean
  readonly milliseconds: number
}

/** Time limit of a response, in milliseconds: testing a callback waits ten seconds. */
export const patience = 15_000

const catalogued = new Map(listProblems().map(({ code, status }) => [`${code} ${status}`, true]))
/** Errors that a row or an aborted file may have: none may be a defect of the server. */
const callersFaults = new Set<number>(listProblems().flatMap(({ code, status }) => (status < 500 ? code : [])))
const unreachable = [1103004, 1103005]
const checks = new Map<string, (data: unknown) => boolean>()

function isDeclared({ name, data }: Endpoint, value: unknown): boolean {
  const check =
    checks.get(name) ??
    (
      (compiled) => (each: unknown) =>
        compiled.Check(each)
    )(Compile(data))
  checks.set(name, check)
  return check(value)
}

const refusals = new Map<string, ReadonlySet<number>>()

/** Errors of no operation: an unknown path, malformed HTTP, or a URL that is too long. */
const ofNoOperation = [1199000, 1199037, 1199414]

/** A dry run is refused by every operation that has none. */
function isListed(asked: readonly Endpoint[], code: number, text: string): boolean {
  if (asked.length === 0 || ofNoOperation.includes(code) || text.includes("'dry_run'")) return true
  return asked.some((endpoint) => {
    const known = refusals.get(endpoint.name) ?? new Set(refusalsOf(endpoint, asDocumented).map((each) => each.code))
    refusals.set(endpoint.name, known)
    return known.has(code)
  })
}

/** What is wrong with the response of one of these operations; undefined if nothing. */
export function fault(
  asked: readonly Endpoint[],
  { status, headers, text, goesOn, milliseconds }: Answer,
): string | undefined {
  if (milliseconds > patience) return `took ${Math.round(milliseconds)} ms`
  if (goesOn || status === 304) return undefined
  if (status === 0) return 'is none'
  const type = String(headers['content-type'] ?? '')
  if (status === 200 && asked.some(({ bare }) => bare && type.startsWith(bare) && !isEnvelope(parsed(text))))
    return undefined
  const streaming = asked.find(({ streams }) => streams !== undefined && type.startsWith(streams))
  if (status === 200 && streaming) return streamFault(streaming, text)
  if (!type.startsWith('application/json')) return `is ${type || 'of no type'}`
  const envelope = parsed(text)
  if (!isEnvelope(envelope)) return 'is no envelope'
  const { result, bk_error_code: code, data } = envelope
  if (result) {
    if (status !== 200 || code !== 0) return `succeeds with ${status} and ${code}`
    return asked.some((endpoint) => isDeclared(endpoint, data))
      ? undefined
      : 'holds data that the contract does not declare'
  }
  if (!catalogued.has(`${code} ${status}`)) return `fails with ${status} and ${code}`
  if (!isListed(asked, code, text)) return `fails with ${code}, which the API document does not list`
  if (status === 503 && code === 1199503 && headers['retry-after'] !== undefined) return undefined
  if (status >= 500 && !unreachable.includes(code)) return `fails with ${status}`
  if (data !== null && code !== 1110004) return 'fails and holds data'
  return undefined
}

/** Each line is checked by its schema; of a sheet only the type is checked. */
function streamFault(endpoint: Endpoint, text: string): string | undefined {
  if (endpoint.streams !== 'application/x-ndjson') return undefined
  if (text !== '' && !text.endsWith('\n')) return 'breaks off in a line'
  const lines = linesIn(text)
  const wrong = lines.findIndex((line) => !isDeclared(endpoint, line))
  if (wrong >= 0) return `holds a line ${wrong + 1} that the contract does not declare`
  if (!endpoint.takes) return undefined
  const code = lines.flatMap((line) => line.code ?? line.bk_error_code ?? []).find((each) => !callersFaults.has(each))
  if (code !== undefined) return `holds a line that fails with ${code}`
  const last = lines.at(-1)
  return last?.done || last?.bk_error_code !== undefined ? undefined : 'ends without its end'
}

/** A line of an import's report: the result of a row, the summary, or why it was aborted. */
interface Told {
  readonly outcome?: string
  readonly code?: number
  readonly done?: true
  readonly created?: number
  readonly updated?: number
  readonly bk_error_code?: number
}

export const linesIn = (text: string): Told[] =>
  text.split('\n').flatMap((line) => (line === '' ? [] : ((parsed(line) ?? {}) as Told)))

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const keys = 'result,bk_error_code,bk_error_msg,data'
function isEnvelope(value: unknown): value is Envelope {
  if (typeof value !== 'object' || value === null || Object.keys(value).join() !== keys) return false
  const { result, bk_error_code, bk_error_msg } = value as Envelope
  return typeof result === 'boolean' && Number.isInteger(bk_error_code) && typeof bk_error_msg === 'string'
}

/** Whether the request may have changed something: it succeeded and was no dry run, or it keeps its valid rows. */
export function mayHaveChanged(asked: readonly Endpoint[], path: string, { status, text }: Answer): boolean {
  if (!asked.some(({ effect }) => effect === 'write')) return false
  if (asked.every(({ query }) => query?.dry_run !== undefined) && /[?&]dry_run=true(&|$)/.test(path)) return false
  // In a sheet some rows succeed and others fail: the last line says whether any did.
  const last = asked.every(({ query }) => query?.atomic) && status === 200 ? linesIn(text).at(-1) : undefined
  if (last?.done && last.created === 0 && last.updated === 0) return false
  const { result, bk_error_code: code } = (parsed(text) ?? {}) as Partial<Envelope>
  return (status === 200 && result !== false) || code === 1110004
}
