import { type Entry, entries } from './contents.ts'

const mostSuggested = 4
/** Below this similarity two addresses are unrelated. */
const leastAlike = 0.4

/** The pages whose title, or last part of the address, is most similar to a path without a page. */
export function nearestPages(path: string): Entry[] {
  const asked = pairsOf(lastOf(path))
  return entries
    .filter((entry) => entry.path !== '')
    .map((entry) => ({
      entry,
      alike: Math.max(common(asked, pairsOf(lastOf(entry.path))), common(asked, pairsOf(entry.title))),
    }))
    .filter(({ alike }) => alike >= leastAlike)
    .toSorted((one, other) => other.alike - one.alike)
    .slice(0, mostSuggested)
    .map(({ entry }) => entry)
}

const lastOf = (path: string) => path.split('/').at(-1) ?? ''

/** Pairs of adjacent letters tolerate letters that are missing, added or swapped. */
function pairsOf(text: string): Set<string> {
  const letters = text
    .toLowerCase()
    .replace(/\.(md|html)$/, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .slice(0, 200)
  return new Set(Array.from({ length: Math.max(0, letters.length - 1) }, (_, index) => letters.slice(index, index + 2)))
}

/** The similarity of two sets, from 0 to 1 (Dice coefficient). */
const common = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  one.size + other.size === 0 ? 0 : (2 * one.intersection(other).size) / (one.size + other.size)
