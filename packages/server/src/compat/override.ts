import type { Endpoint } from '@mainline/contract'
import type { TObject, TSchema } from 'typebox'
import type { Override } from '../http/dialect.ts'

type NamedOverride = readonly [operation: string, how: Override]

export const override = <E extends Endpoint>({ name }: E, how: Override<E>): NamedOverride => [
  name,
  how as unknown as Override,
]

/** The same body with some keys optional. */
export const lacking = ({ properties, required, ...rest }: TObject, keys: readonly string[]): TSchema => ({
  ...rest,
  properties,
  required: required.filter((key) => !keys.includes(key)),
})

/** The same body with some optional keys required. */
export const requiring = (body: TObject, keys: readonly string[]): TSchema => ({
  ...body,
  required: [...(body.required ?? []), ...keys],
})

/** An empty text counts as an omitted key. */
export const given = (value: unknown): unknown => (value === '' ? undefined : value)
