import { present } from './present.ts'

/** The known words nearest to an unknown one, for suggestions: those it is a prefix of, then those with the smallest edit distance. */
export function nearest(word: string, known: readonly string[], most = 3): string[] {
  // Truncated, so that very long words cost no more than known ones.
  const sought = word.slice(0, 100).toLowerCase()
  return known
    .map((each) => ({ each, small: each.toLowerCase() }))
    .map(({ each, small }) => ({ each, distance: small.startsWith(sought) ? 0 : distanceBetween(sought, small) }))
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, most)
    .map(({ each }) => each)
}

/** A sentence with suggestions, to be appended to an error. */
export const didYouMean = (word: string, known: readonly string[]): string =>
  known.length > 0 ? ` Did you mean ${nearest(word, known).join(', ')}?` : ''

/** Levenshtein distance. */
function distanceBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = present(row[j - 1]) + Number(one[i - 1] !== other[j - 1])
      next.push(Math.min(replaced, present(row[j]) + 1, present(next[j - 1]) + 1))
    }
    row = next
  }
  return present(row[other.length])
}
