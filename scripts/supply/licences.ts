import type { Locked } from './lock.ts'

/** Licences that ask for no more than their text and notice. */
const permissive = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
]
/** Asks for changes to its own files only; fine for tools that are used as they are. */
const forTools = ['MPL-2.0']

/** `A OR B` is met by one of them, `A AND B` by both. */
function isMet(expression: string, allowed: readonly string[]): boolean {
  return expression
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((licence) => allowed.includes(licence.trim())))
}

export const isAllowed = ({ licence, isTool }: Pick<Locked, 'licence' | 'isTool'>) =>
  isMet(licence, isTool ? [...permissive, ...forTools] : permissive)
