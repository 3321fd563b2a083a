// What a dialect of the API may override. The contract's own dialect overrides nothing; others are in ../compat.
import {
  type DataOf,
  type Endpoint,
  type Language,
  type Problem,
  type ProblemKind,
  type Rule,
  rule,
} from '@mainline/contract'
import type { TSchema } from 'typebox'
import type { ServeConfig } from '../common/config.ts'
import type { Naming, Request, Route } from './route.ts'

/** The syntax of identifiers that users choose for objects and classifications. */
export interface Spelling {
  readonly pattern: RegExp
  readonly rule: Rule
}

/** How the definitions of saved queries are read. */
export interface SavedQueryDialect {
  /** Names of fields to show that no attribute has are left out in place of being refused. */
  readonly ignoresUnknownFields: boolean
  readonly readsMultilike: boolean
}

export interface Dialect {
  readonly name: ServeConfig['compat']
  /** The `bk_error_msg` of a success. */
  readonly success: string
  /** The language for callers that request none that is supported. */
  readonly language: Language
  readonly identifiers: Spelling
  /** How identifiers of attribute groups are spelled. */
  readonly groupIdentifiers: Spelling
  readonly savedQueries: SavedQueryDialect
  /** The HTTP status of a failure. */
  readonly status: (problem: Problem) => number
  readonly overrideOf: (endpoint: Endpoint) => Override | undefined
  /** Operations that only this dialect has. */
  readonly routes: readonly Route[]
}

export type Sent = Record<string, unknown>
/** Calls another operation as the same caller. */
export type Ask = <E extends Endpoint>(
  endpoint: E,
  request: Pick<Request<E>, 'actor' | 'params' | 'body'>,
) => Promise<DataOf<E>>

/** How one operation differs in this dialect. */
export interface Override<E extends Endpoint = Endpoint> {
  /** Translates the sent body to the contract's form, which is then validated as usual. */
  readonly read?: (sent: Sent, request: Naming<E>) => Sent
  /** Replaces the endpoint's own schema. */
  readonly body?: TSchema
  /** The schema for the API document, where `read` accepts another form. */
  readonly sends?: TSchema
  /** The schema of the answer, where it differs from the endpoint's own. */
  readonly data?: TSchema
  /** Problems that the operation cannot answer with in this dialect. */
  readonly neverRefuses?: readonly ProblemKind[]
  readonly run?: (run: (request: Request<E>) => Promise<DataOf<E>>, request: Request<E>, ask: Ask) => Promise<unknown>
}

export const lettersOnly: Spelling = { pattern: /^[A-Za-z]+$/, rule: rule('lettersOnly') }

export const asDocumented: Dialect = {
  name: 'document',
  success: '',
  language: 'en',
  identifiers: lettersOnly,
  groupIdentifiers: lettersOnly,
  savedQueries: { ignoresUnknownFields: false, readsMultilike: false },
  status: (problem) => problem.status,
  overrideOf: () => undefined,
  routes: [],
}

export const isObject = (value: unknown): value is Sent =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
