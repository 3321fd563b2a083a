import { type Endpoint, Limit, listProblems, type ProblemKind, storesChange, takesKey } from '@mainline/contract'
import Type, { type TSchema } from 'typebox'
import type { Dialect } from '../../http/dialect.ts'
import { isInteger } from './query-types.ts'

export type Listed = ReturnType<typeof listProblems>[number]

/** Problems that any request may have. */
const ofEveryRequest: readonly ProblemKind[] = ['invalid', 'denied', 'tooManyRequests', 'internal', 'notReady']
const ofBody: readonly ProblemKind[] = ['malformedJson', 'tooLarge', 'notJson']
/** Problems of the model with a map of attributes. */
const ofAttributes: readonly ProblemKind[] = [
  'notString',
  'notInteger',
  'notFloat',
  'notBoolean',
  'unassigned',
  'unknown',
  'outOfBounds',
  'patternMismatch',
]
const ofCondition: readonly ProblemKind[] = [
  'notString',
  'notInteger',
  'notFloat',
  'notBoolean',
  'unassigned',
  'unknown',
  'tooMany',
]
const ofType: Record<string, ProblemKind> = {
  string: 'notString',
  integer: 'notInteger',
  number: 'notFloat',
  boolean: 'notBoolean',
}

/** Every problem that an operation may answer with, ordered by code. */
export function refusalsOf(endpoint: Endpoint, dialect: Dialect): Listed[] {
  const { allow, anonymous, params, query, refuses = [], takes } = endpoint
  const override = dialect.overrideOf(endpoint)
  const kinds = new Set<ProblemKind>([
    ...ofEveryRequest,
    ...(anonymous ? [] : (['unauthenticated'] as const)),
    ...Object.values(params).flatMap((schema) => ofParameter(schema)),
    ...('bk_biz_id' in params || allow.need === 'role' ? (['notFound'] as const) : []),
    ...(Object.keys(query ?? {}).some(isInteger) ? (['notInteger'] as const) : []),
    ...(endpoint.method === 'GET' ? [] : ofBody),
    ...(endpoint.hasBody ? ofSchema(override?.sends ?? endpoint.body) : []),
    ...(takes ? (['tooLarge', 'notJson', 'badFile'] as const) : []),
    ...(storesChange(endpoint) ? (['outcomeUnknown'] as const) : []),
    ...(takesKey(endpoint) ? (['keyRunning', 'keyReused'] as const) : []),
    ...(endpoint.conditional ? (['revisionMismatch'] as const) : []),
    ...refuses,
  ])
  for (const kind of override?.neverRefuses ?? []) kinds.delete(kind)
  return listProblems()
    .filter(({ kind }) => kinds.has(kind))
    .toSorted((one, other) => one.code - other.code)
}

const ofParameter = (schema: TSchema): ProblemKind[] =>
  Type.IsInteger(schema) ? ['notInteger', ...(isLimit(schema) ? (['pageLimit'] as const) : [])] : ['unassigned']

interface RefusalSchema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly patternProperties?: Readonly<Record<string, TSchema>>
  readonly items?: TSchema
  readonly anyOf?: readonly TSchema[]
  readonly required?: readonly string[]
  readonly maxItems?: number
  readonly minLength?: number
  readonly additionalProperties?: unknown
  readonly description?: string
}

const isLimit = (schema: TSchema) => JSON.stringify(schema) === JSON.stringify(Limit)
const isCondition = ({ description = '' }: RefusalSchema) => description.includes('$eq')

/** Problems of validating a body, by the types in it; and those of the model if it contains attributes. */
function ofSchema(schema: TSchema): ProblemKind[] {
  const { type = '', properties = {}, patternProperties, items, anyOf = [], ...more }: RefusalSchema = schema
  if (isCondition(schema)) return [...ofCondition]
  return [
    ...(ofType[type] ? [ofType[type]] : []),
    ...((more.required ?? []).length > 0 || more.minLength !== undefined ? (['unassigned'] as const) : []),
    ...(more.maxItems === undefined ? [] : (['tooMany'] as const)),
    ...(isLimit(schema) ? (['pageLimit'] as const) : []),
    ...(more.additionalProperties === true ? ofAttributes : []),
    ...[
      ...Object.values(properties),
      ...Object.values(patternProperties ?? {}),
      ...anyOf,
      ...(items ? [items] : []),
    ].flatMap(ofSchema),
  ]
}
