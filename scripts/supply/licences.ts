import type { Locked } from './lock.ts'

/** Licences that require no more than their text and notice. */
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
/** Requires publishing changes of its own files only; acceptable for tools that are used unchanged. */
const forTools = ['MPL-2.0']

/** `A OR B` requires one of them, `A AND B` both. */
function isMet(expression: string, allowed: readonly string[]): boolean {
  return expression
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((licence) => allowed.includes(licence.trim())))
}

export const isAllowed = ({ licence, isTool }: Pick<Locked, 'licence' | 'isTool'>) =>
  isMet(licence, isTool ? [...permissive, ...forTools] : permissive)
