import { expect, it } from 'vitest'
import { blank, nextChoice, optionOf, problemsOf } from './definition.ts'

const words = { required: 'required', decimal: 'decimal', attributeId: 'id', noChoice: 'choice' }
const choice = (id: string, name: string, isDefault = false) => ({ id, name, isDefault })

it('sends the option that the type requires', () => {
  expect(optionOf({ ...blank, type: 'enum', choices: [choice('r ', ' red', true)] })).toEqual([
    { id: 'r', name: 'red', type: 'text', is_default: true },
  ])
  expect(optionOf({ ...blank, type: 'int', min: '1', max: '' })).toEqual({ min: 1, max: null })
  expect(optionOf({ ...blank, type: 'int' })).toBe('')
  expect(optionOf({ ...blank, type: 'singlechar', pattern: '^a' })).toBe('^a')
  expect(optionOf({ ...blank, type: 'date', pattern: '^a' })).toBe('')
})

it('reports errors before sending', () => {
  expect(problemsOf(blank, words)).toEqual({ name: 'required', id: 'required' })
  expect(problemsOf({ ...blank, name: 'A', id: 'Rack' }, words)).toEqual({ id: 'id' })
  const colour = { ...blank, name: 'Colour', id: 'colour', type: 'enum' }
  expect(problemsOf({ ...colour, choices: [choice('1', 'red'), choice('1', 'blue')] }, words)).toEqual({
    choices: 'choice',
  })
  expect(problemsOf({ ...colour, choices: [choice('1', 'red'), choice('2', 'blue')] }, words)).toEqual({})
  expect(problemsOf({ ...colour, type: 'int', min: 'few' }, words)).toEqual({ min: 'decimal' })
})

it('suggests an unused value', () => {
  expect(nextChoice([choice('2', 'b'), choice('3', 'c')]).id).toBe('4')
  expect(nextChoice([])).toEqual(choice('1', '', true))
})
