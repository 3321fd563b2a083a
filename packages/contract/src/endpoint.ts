import type { Static, TObject, TProperties, TSchema, TUnknown } from 'typebox'
import Type from 'typebox'
import type { Allow } from './allow.ts'
import type { ProblemKind } from './problems.ts'
import { momentForms } from './vocabulary.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * `write` is refused to read-only tokens, and takes `X-Change-Reason` and `Idempotency-Key`; `watch` waits for events. Searches use POST, so the
 * method does not tell.
 */
export type Effect = 'read' | 'write' | 'watch'

/** The areas of the API, in the order of the API document. */
export const areas = [
  'Businesses',
  'Topology',
  'Sets',
  'Modules',
  'Instances',
  'Associations',
  'Hosts',
  'Custom queries',
  'Integrations',
  'Import and export',
  'Privileges',
  'User settings',
  'Audit',
  'History',
  'Events',
  'Model',
  'Identity',
] as const
export type AreaName = (typeof areas)[number]

type StreamType = 'text/event-stream' | 'application/x-ndjson' | 'text/csv'
export type BareType = 'application/json' | 'text/csv'
type QueryNames = Readonly<Record<string, string>>
type NoQuery = Readonly<Record<never, string>>

/** One operation of the API as a value. Route, checks, API document and client are all derived from it, so they cannot differ. */
export interface Endpoint<
  Params extends TProperties = TProperties,
  Body extends TSchema = TSchema,
  Data extends TSchema = TSchema,
  Query extends QueryNames = QueryNames,
  Streams extends StreamType | undefined = StreamType | undefined,
  Bare extends BareType | undefined = BareType | undefined,
> {
  readonly name: string
  readonly method: Method
  readonly effect: Effect
  /** Calls an address that the caller names, and stores nothing. */
  readonly onlyCalls?: true
  /** Below /api/v3, parameters as `:name`. */
  readonly path: string
  readonly area: AreaName
  /** Its index among all endpoints, in order of declaration. */
  readonly order: number
  readonly summary: string
  /** The required privilege. Mandatory, so that no operation is open by oversight. */
  readonly allow: Allow
  /** Also served to anonymous callers. */
  readonly anonymous?: true
  readonly params: Params
  /** Query parameters, all optional, with their descriptions. */
  readonly query?: Query
  readonly body: Body
  /** Whether a body is declared. */
  readonly hasBody: boolean
  /** Where a search takes its page. */
  readonly paging: Paging | undefined
  readonly data: Data
  /** Takes a file instead of JSON: its bytes are the body. */
  readonly takes?: 'file'
  /** The largest body, if it exceeds that of most operations. See `maxBodyBytesOf`. */
  readonly maxBodyBytes?: number
  /** A streamed answer: repeated `data` in this media type instead of an envelope. Errors are envelopes. */
  readonly streams?: Streams
  /** Callers that accept this media type get all rows as lines instead of a page. */
  readonly alsoStreams?: StreamType
  /** Answers with `data` itself in this media type instead of an envelope, as other programs require. Errors are envelopes. */
  readonly bare?: Bare
  /** Problems specific to this operation, beside those derived from its parameters. */
  readonly refuses?: readonly ProblemKind[]
  /** Answers have an ETag, and are 304 without a body for a caller with the current version. */
  readonly etag?: true
  /** Answers one record, whose revision is the ETag, for the `If-Match` of a change. */
  readonly versioned?: true
  /** Also answers as of a moment of the past, which the query parameter `as_of` names. */
  readonly readsPast?: true
  /** Changes one instance, and can be made conditional on its revision (`If-Match`). */
  readonly conditional?: true
  /** Parameters and a body that work on a fresh demo estate, when the examples are sent in the order of the API document. */
  readonly example?: {
    readonly params?: Record<string, string | number>
    readonly query?: Record<string, string>
    readonly body?: unknown
  }
}

export type ParamsOf<E extends Endpoint> = Static<TObject<E['params']>>
export type BodyOf<E extends Endpoint> = Static<E['body']>
export type DataOf<E extends Endpoint> = Static<E['data']>
export type QueryNameOf<E extends Endpoint> = Extract<keyof NonNullable<E['query']>, string>

/** In `page` of the body, where paging by the last id is possible, too; in the body itself; or in the path. */
export type Paging = 'page' | 'pageById' | 'body' | 'path'

function pagingOf({ body = {}, params = {} }: { body?: TSchema; params?: TProperties }): Paging | undefined {
  const { properties = {} } = body as { properties?: Record<string, { properties?: object }> }
  if (properties.page) return 'after' in (properties.page.properties ?? {}) ? 'pageById' : 'page'
  if ('start' in properties) return 'body'
  return 'start' in params ? 'path' : undefined
}

interface Declaration<
  Params extends TProperties,
  Body extends TSchema,
  Data extends TSchema,
  Query extends QueryNames,
  Streams extends StreamType | undefined,
  Bare extends BareType | undefined,
> extends Omit<Endpoint<Params, Body, Data, Query, Streams, Bare>, 'params' | 'body' | 'hasBody' | 'paging' | 'order'> {
  readonly params?: Params
  readonly body?: Body
}

let declaredSoFar = 0

/** The query parameter of all endpoints that read the past. */
const asOf = { as_of: `answers as of a moment of the past: ${momentForms}` }

export function endpoint<
  Data extends TSchema,
  Params extends TProperties = Record<never, never>,
  Body extends TSchema = TUnknown,
  Query extends QueryNames = NoQuery,
  Streams extends StreamType | undefined = undefined,
  Bare extends BareType | undefined = undefined,
>(declared: Declaration<Params, Body, Data, Query, Streams, Bare>): Endpoint<Params, Body, Data, Query, Streams, Bare> {
  return {
    ...declared,
    ...(declared.readsPast && {
      query: { ...declared.query, ...asOf } as unknown as Query,
      refuses: [...(declared.refuses ?? []), 'momentGone', 'positionGone'],
    }),
    order: declaredSoFar++,
    params: declared.params ?? ({} as Params),
    body: declared.body ?? (Type.Unknown() as unknown as Body),
    hasBody: declared.body !== undefined,
    paging: pagingOf(declared),
  }
}

/** Whether an export of an area is an operation. */
export const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'allow' in value && 'path' in value

const defaultBodyBytes = 256 * 1024
/** Lists of thousands of ids or values, as in searches, moves and saved queries. */
export const batchBodyBytes = 1024 * 1024
/** Saved queries: a definition of 1 MiB, as text inside of JSON. */
export const definitionBodyBytes = 4 * 1024 * 1024
/** Thousands of hosts with all of their attributes. */
export const rowsBodyBytes = 8 * 1024 * 1024
export const fileBodyBytes = 32 * 1024 * 1024

/** A larger body is refused before it is read. Conditions may contain lists of 10,000 values. */
export function maxBodyBytesOf(declared: Endpoint): number {
  if (declared.takes === 'file') return fileBodyBytes
  return declared.maxBodyBytes ?? (declared.effect === 'write' ? defaultBodyBytes : batchBodyBytes)
}

/** Whether a request stores anything: testing a callback only calls it. */
export const storesChange = ({ effect, onlyCalls }: Endpoint): boolean => effect === 'write' && !onlyCalls

/** Whether a request can be repeated under an Idempotency-Key: not an import, which is repeatable by itself. */
export const takesKey = (declared: Endpoint): boolean => storesChange(declared) && !declared.takes
