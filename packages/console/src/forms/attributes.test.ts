import { describe, expect, it } from 'vitest'
import { common } from '../words/common.ts'
import {
  type Attribute,
  check,
  differences,
  draftOf,
  emptyDraft,
  filledIn,
  isQuantity,
  toValue,
  toWords,
} from './attributes.ts'

const words = common.en.check
const attribute = (type: string, more: Partial<Attribute> = {}) =>
  ({
    bk_property_id: 'a',
    bk_property_name: 'A',
    bk_property_type: type,
    isrequired: false,
    unit: '',
    option: null,
    ...more,
  }) as Attribute

describe('before anything is sent, a form reports', () => {
  it.each<[what: string, attribute: Attribute, typed: string, said: string | undefined]>([
    ['what is missing', attribute('singlechar', { isrequired: true }), '  ', words.required],
    ['nothing of what may be missing', attribute('int'), '', undefined],
    ['that a number must be whole', attribute('int'), '1.5', words.integer],
    ['that a number must be a number', attribute('float'), 'much', words.decimal],
    ['where a number must be', attribute('int', { option: { min: 1, max: 9 } }), '10', words.between('1', '9')],
    ['nothing of a number that fits', attribute('int', { option: { min: 1, max: 9 } }), '9', undefined],
    ['that a text is too long, in bytes', attribute('singlechar'), '中'.repeat(86), words.tooLong(256, 258)],
    ['what a text must look like', attribute('singlechar', { option: '^[a-z]+$' }), 'A1', words.pattern('^[a-z]+$')],
    [
      'nothing of a pattern only the server can read',
      attribute('singlechar', { option: '(?i)^x(?P<n>y)$' }),
      'z',
      undefined,
    ],
    ['what a date looks like', attribute('date'), '31.1.2026', words.date],
    ['that yes or no is neither more nor less', attribute('bool'), 'maybe', words.yesOrNo],
    ['nothing of yes or no in the other language', attribute('bool'), '是', undefined],
    ['what a time looks like', attribute('time'), 'noon', words.time],
  ])('%s', (_, given, typed, said) => {
    expect(check(given, typed, words)).toBe(said)
  })
})

describe('the sent values', () => {
  it('have the type that the API requires', () => {
    expect(toValue(attribute('int'), ' 12 ')).toBe(12)
    const said = (...typed: string[]) => typed.map((each) => toValue(attribute('bool'), each))
    expect(said('true', 'TRUE', '1', 'Yes', 'yes', '是')).toEqual(Array(6).fill(true))
    expect(said('false', 'FALSE', '0', 'No', 'no', '否')).toEqual(Array(6).fill(false))
    expect(said('', 'maybe')).toEqual([null, 'maybe'])
    expect(toValue(attribute('objuser'), 'amy; ben，carla')).toBe('amy,ben,carla')
    expect(toValue(attribute('enum'), '')).toBe(null)
    expect(toValue(attribute('singlechar'), '')).toBe('')
  })

  it('are only those that differ', () => {
    const attributes = [attribute('int', { bk_property_id: 'n' }), attribute('singlechar', { bk_property_id: 't' })]
    const before = draftOf(attributes, { n: 5, t: 'as it was' })
    expect(differences(attributes, before, { ...before, n: '' })).toEqual({ n: null })
    expect(differences(attributes, before, { ...before, t: 'as it was ' })).toEqual({})
  })
})

it('false for a required checkbox that was not ticked, when creating', () => {
  const required = attribute('bool', { bk_property_id: 'r', isrequired: true })
  const optional = attribute('bool', { bk_property_id: 'o' })
  const draft = emptyDraft([required, optional])
  expect(filledIn([required, optional], draft)).toEqual({ r: false })
  expect(check(required, draft.r ?? '', words)).toBe(undefined)
})

it('the default choice is preselected, and choices are shown by name', () => {
  const option = [
    { id: '1', name: 'test' },
    { id: '3', name: 'formal', is_default: true },
  ]
  expect(emptyDraft([attribute('enum', { option })])).toEqual({ a: '3' })
  expect(toWords(attribute('enum', { option }), '3', { yes: 'Yes', no: 'No' })).toBe('formal')
  expect(toWords(attribute('int', { unit: 'GB' }), 4, { yes: 'Yes', no: 'No' })).toBe('4 GB')
})

it('a number that is an id is shown by name, and can be entered as either', () => {
  const area = attribute('int', { option: [{ id: '0', name: 'default area' }] })
  expect(toWords(area, 0, { yes: 'Yes', no: 'No' })).toBe('default area')
  expect([toValue(area, '0'), toValue(area, 'Default area'), toValue(area, '7')]).toEqual([0, 0, 7])
  expect([check(area, 'default area', words), check(area, 'elsewhere', words)]).toEqual([undefined, words.integer])
  expect([isQuantity(area), isQuantity(attribute('int'))]).toEqual([false, true])
})
