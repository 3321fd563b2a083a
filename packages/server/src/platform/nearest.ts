/** The few known words that are nearest to one that is not known, nearest first. */
export function nearest(word: string, known: readonly string[], most = 3): string[] {
  const sought = word.slice(0, 64)
  return known
    .map((each) => ({ each, distance: distanceBetween(sought, each) }))
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, most)
    .map(({ each }) => each)
}

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
