import { createHash } from 'node:crypto'

/*
 * The Merkle tree of RFC 9162 (Certificate Transparency), section 2.1. Leaves are hashed with the prefix 0 and nodes with 1, so that
 * neither can be presented as the other.
 */

export const leafHash = (text: string): Buffer => createHash('sha256').update('\0').update(text).digest()
const nodeHash = (left: Buffer, right: Buffer): Buffer =>
  createHash('sha256').update('\x01').update(left).update(right).digest()

/** The number of leaves in the left subtree: the largest power of two below `size`. */
function leftOf(size: number): number {
  let left = 1
  while (left * 2 < size) left *= 2
  return left
}

export function merkleRoot(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves
  if (only === undefined) return createHash('sha256').digest()
  if (leaves.length === 1) return only
  const left = leftOf(leaves.length)
  return nodeHash(merkleRoot(leaves.slice(0, left)), merkleRoot(leaves.slice(left)))
}

/** The audit path: sibling hashes from a leaf to the root, the leaf's sibling first. */
export function merklePath(leaves: readonly Buffer[], index: number): Buffer[] {
  if (leaves.length <= 1) return []
  const left = leftOf(leaves.length)
  const [lower, upper] = [leaves.slice(0, left), leaves.slice(left)]
  return index < left
    ? [...merklePath(lower, index), merkleRoot(upper)]
    : [...merklePath(upper, index - left), merkleRoot(lower)]
}

/** The root computed from a leaf, its index and its path. Undefined if the path has the wrong length. */
export function rootFromPath(
  leaf: Buffer,
  { index, size }: { readonly index: number; readonly size: number },
  path: readonly Buffer[],
): Buffer | undefined {
  let [hash, at, last] = [leaf, index, size - 1]
  if (at < 0 || at > last) return undefined
  for (const beside of path) {
    if (last === 0) return undefined
    if (at % 2 === 1 || at === last) {
      hash = nodeHash(beside, hash)
      while (at % 2 === 0 && at !== 0) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
    } else hash = nodeHash(hash, beside)
    ;[at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  }
  return last === 0 ? hash : undefined
}
