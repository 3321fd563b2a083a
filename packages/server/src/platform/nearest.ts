/** The few known words that are nearest to one that is not known, nearest first: what it is the beginning of, then what it looks like. */
export function nearest(word: string, known: readonly string[], most = 3): string[] {
  // A word of any length costs no more than one we could know.
  const sought = word.slice(0, 100).toLowerCase()
  return known
    .map((each) => ({ each, small: each.toLowerCase() }))
    .map(({ each, small }) => ({ each, distance: small.startsWith(sought) ? 0 : distanceBetween(sought, small) }))
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, most)
    .map(({ each }) => each)
}

/** A sentence that offers them, to follow one that refuses. */
export const didYouMean = (word: string, known: readonly string[]): string =>
  known.length > 0 ? ` Did you mean ${nearest(word, known).join(', ')}?` : ''

/** How many characters must be put in, taken out or replaced to turn one into the other. */
function distanceBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] as number) + Number(one[i - 1] !== other[j - 1])
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[other.length] as number
}
