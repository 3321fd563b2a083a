import { present } from '../common/present.ts'

/** A Unicode class as `\pL` holds hundreds of ranges, each with its other cases: half a millisecond where a character takes a few microseconds. */
const unicodeClassCost = 200
const maxDepth = 64

/**
 * An upper bound of the cost of compiling a pattern, in characters of a plain one: repetitions are expanded, so a short pattern with many takes as
 * long as a long one. Computed from the text, since compiling is what takes the time. Invalid patterns are left for the compiler to refuse.
 */
export function compilingCost(pattern: string): number {
  let classes = 0
  /** Costs of the open groups and of their last atoms, to which a quantifier applies. */
  const groups = [{ sum: 0, atom: 0 }]
  const put = (cost: number, atom: number) => {
    const group = present(groups.at(-1))
    group.sum += cost
    group.atom = atom
  }
  for (const [token] of pattern.matchAll(tokens)) {
    if (/^\\p/i.test(token)) classes++
    if (token.startsWith('[')) classes += token.match(/\\p/gi)?.length ?? 0
    if (token === '(') {
      if (groups.length > maxDepth) return Number.POSITIVE_INFINITY
      groups.push({ sum: 2, atom: 0 })
    } else if (token === ')' && groups.length > 1) {
      const { sum } = present(groups.pop())
      put(sum, sum)
    } else if (/^\{\d/.test(token)) {
      const times = Math.max(1, ...token.slice(1, -1).split(',').map(Number))
      const group = present(groups.at(-1))
      const more = group.atom * (times - 1) + times
      group.sum += more
      group.atom += more
    } else {
      // A class, for instance, is one instruction each time it is repeated, but parsed only once.
      put(token.length, 1)
    }
  }
  return groups.reduce((total, { sum }) => total + sum, 0) + classes * unicodeClassCost
}

/** Escapes, classes and quantifiers as units; everything else by character. */
const tokens =
  /\\x\{[0-9a-f]+\}|\\[pP]\{[^}]*\}|\\[\s\S]|\[\]?(?:\\[\s\S]|\[:\^?[a-z]+:\]|[^\\\]])*\]|\{\d+,?\d*\}|[\s\S]/giu
