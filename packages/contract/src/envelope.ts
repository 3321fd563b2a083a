import Type, { type TSchema } from 'typebox'
import type { Language } from './language.ts'
import type { Problem } from './problems.ts'

/** What every operation answers with. */
export interface Envelope<Data = unknown> {
  result: boolean
  bk_error_code: number
  bk_error_msg: string | null
  data: Data
}

export const EnvelopeOf = (data: TSchema) =>
  Type.Object({
    result: Type.Boolean({ description: 'true when the request succeeded' }),
    bk_error_code: Type.Integer({ description: '0 on success, above 0 on failure' }),
    bk_error_msg: Type.Union([Type.String(), Type.Null()]),
    data,
  })

export const succeeded = <Data>(data: Data): Envelope<Data> => ({
  result: true,
  bk_error_code: 0,
  bk_error_msg: '',
  data,
})

export const failed = (problem: Problem, language: Language): Envelope => ({
  result: false,
  bk_error_code: problem.code,
  bk_error_msg: problem.text(language),
  data: problem.data,
})
