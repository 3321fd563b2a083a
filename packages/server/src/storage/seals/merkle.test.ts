import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { leafHash, merklePath, merkleRoot, rootFromPath } from './merkle.ts'

const leavesOf = (count: number) => Array.from({ length: count }, (_, index) => leafHash(`record ${index}`))

it('computes the roots of RFC 9162', () => {
  // Test vectors of Certificate Transparency: no leaf, the empty leaf, and the first of its eight inputs.
  expect(merkleRoot([]).toString('hex')).toBe(createHash('sha256').digest('hex'))
  expect(merkleRoot([leafHash('')]).toString('hex')).toBe(
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  )
  expect(merkleRoot([leafHash(''), leafHash('\0')]).toString('hex')).toBe(
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  )
})

it('the path of every leaf leads to the root, for any number of leaves', () => {
  const wrong: string[] = []
  for (let size = 1; size <= 33; size++) {
    const leaves = leavesOf(size)
    const root = merkleRoot(leaves).toString('hex')
    for (const [index, leaf] of leaves.entries()) {
      const path = merklePath(leaves, index)
      const isRoot = (from: Buffer, at: number, by: readonly Buffer[]) =>
        rootFromPath(from, { index: at, size }, by)?.toString('hex') === root
      const isWrong =
        !isRoot(leaf, index, path) ||
        isRoot(leafHash('another'), index, path) ||
        isRoot(leaf, index + 1, path) ||
        isRoot(leaf, index, [...path, leaf]) ||
        (path.length > 0 && isRoot(leaf, index, path.slice(1)))
      if (isWrong) wrong.push(`${index} of ${size}`)
    }
  }
  expect(wrong).toEqual([])
})
