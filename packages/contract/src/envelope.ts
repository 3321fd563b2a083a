import type { Language } from './language.ts'
import type { Problem } from './problems.ts'

/** The envelope of every answer. */
export interface Envelope<Data = unknown> {
  result: boolean
  bk_error_code: number
  bk_error_msg: string | null
  data: Data
}

export const succeeded = <Data>(data: Data, message = ''): Envelope<Data> => ({
  result: true,
  bk_error_code: 0,
  bk_error_msg: message,
  data,
})

export const failed = (problem: Problem, language: Language): Envelope => ({
  result: false,
  bk_error_code: problem.code,
  bk_error_msg: problem.text(language),
  data: problem.data,
})
