import { describe, expect, it } from 'vitest'
import { checkAnswer } from './answers.ts'

describe('an answer that violates the contract fails the test that receives it', () => {
  const answer = (data: unknown, bk_error_msg = '') => ({ data, bk_error_msg })

  it('with a value of another type', () => {
    expect(() => checkAnswer('DELETE', '/hosts/batch', answer('success'))).toThrow('delete_host answers')
    expect(() => checkAnswer('DELETE', '/hosts/batch', answer(null))).not.toThrow()
  })

  it('with a missing or undeclared property', () => {
    const found = { count: 0, info: [] }
    expect(() => checkAnswer('POST', '/set/search/0/2', answer(found))).not.toThrow()
    expect(() => checkAnswer('POST', '/set/search/0/2', answer({ info: [] }))).toThrow('search_set answers')
    expect(() => checkAnswer('POST', '/set/search/0/2', answer({ ...found, more: 1 }))).toThrow('search_set answers')
  })

  it('compared with the schema of the dialect', () => {
    const record = answer({}, 'success')
    expect(() => checkAnswer('GET', '/userapi/detail/2/x', record)).not.toThrow()
    expect(() => checkAnswer('GET', '/userapi/detail/2/x', answer({}))).toThrow('get_custom_query_detail answers')
  })

  it('of an unknown operation', () => {
    expect(() => checkAnswer('GET', '/nosuch', answer(null))).toThrow('no operation')
  })
})
