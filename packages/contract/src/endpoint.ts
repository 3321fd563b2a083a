import type { Static, TObject, TProperties, TSchema } from 'typebox'
import Type from 'typebox'
import type { Allow } from './allow.ts'
import type { ProblemKind } from './problems.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The areas of the interface, in the order in which the API document shows them. */
export const areas = [
  'Businesses',
  'Topology',
  'Sets',
  'Modules',
  'Instances',
  'Hosts',
  'Custom queries',
  'Integrations',
  'Import and export',
  'Privileges',
  'User settings',
  'Audit',
  'Events',
  'Model',
  'Identity',
] as const
export type AreaName = (typeof areas)[number]

/**
 * One operation of the interface as a value. Route, checks, API document and client all derive from it,
 * so that none of them can say something else.
 */
export interface Endpoint<
  Params extends TProperties = TProperties,
  Body extends TSchema = TSchema,
  Data extends TSchema = TSchema,
> {
  readonly name: string
  readonly method: Method
  /** Below /api/v3, parameters as `:name`. */
  readonly path: string
  readonly area: AreaName
  /** Its place among all endpoints, in the order in which they are declared. */
  readonly order: number
  readonly summary: string
  /** What the caller must hold. Required: an operation open by oversight does not compile. */
  readonly allow: Allow
  /** Served also to callers who have not said who they are. */
  readonly anonymous?: true
  readonly params: Params
  /** Parameters behind the question mark, all of them optional, each with what it does. */
  readonly query?: Readonly<Record<string, string>>
  readonly body: Body
  readonly data: Data
  /** Sent as a file is, in place of JSON: its bytes are the body. */
  readonly takes?: 'file'
  /** Answers that go on: `data` again and again, as this type in place of an envelope. Refusals are envelopes. */
  readonly streams?: 'text/event-stream' | 'application/x-ndjson' | 'text/csv'
  /** Answers with `data` itself, as this type in place of an envelope: programs want it so. Refusals are envelopes. */
  readonly bare?: 'application/json' | 'text/csv'
  /** Problems of this operation's own, beside those that follow from what it takes. */
  readonly refuses?: readonly ProblemKind[]
  /** Answers carry an ETag, and are 304 without a body for a caller who has the same one already. */
  readonly etag?: true
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

const NoBody = Type.Unknown()
type NoBody = typeof NoBody

interface Declaration<Params extends TProperties, Body extends TSchema, Data extends TSchema>
  extends Omit<Endpoint<Params, Body, Data>, 'params' | 'body' | 'order'> {
  readonly params?: Params
  readonly body?: Body
}

let declaredSoFar = 0

export function endpoint<
  Data extends TSchema,
  Params extends TProperties = Record<never, never>,
  Body extends TSchema = NoBody,
>(declared: Declaration<Params, Body, Data>): Endpoint<Params, Body, Data> {
  return {
    ...declared,
    order: declaredSoFar++,
    params: declared.params ?? ({} as Params),
    body: declared.body ?? (NoBody as unknown as Body),
  }
}

/** Searches are sent by POST, so the method alone does not tell. A name that says neither counts as a change. */
export const changesAnything = ({ method, name }: Endpoint): boolean =>
  method !== 'GET' && !/^(find|get|list|preview|search|watch)_/.test(name)

export const hasBody = (declared: Endpoint): boolean => declared.body !== NoBody
