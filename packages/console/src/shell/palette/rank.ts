/** How well a text fits: the lower, the better. Names come before the other words that an item is known by. */
export type Rank = number

const exact = 0
const prefix = 2
const wordPrefix = 4
const contained = 6
/** Added to the rank of a match in other words than the name. */
const alias = 1

/** Whether the whole name, or its beginning, was typed: a better match is unlikely. */
export const isClose = (rank: Rank): boolean => rank <= prefix + alias

/** What is typed, as it is compared. */
export interface Sought {
  readonly text: string
  readonly words: readonly string[]
}

const isAscii = /^[\x20-\x7e]*$/

/** Names of a tree are compared with every letter that is typed: those that are ASCII are not normalized, which takes most of the time. */
export const folded = (text: string): string => (isAscii.test(text) ? text : text.normalize('NFKC')).toLowerCase()

export function seek(typed: string): Sought {
  const text = folded(typed).trim()
  return { text, words: text.split(/\s+/).filter(Boolean) }
}

const isInWord = /[\p{L}\p{N}]/u
/** Chinese has no spaces: a word may begin at each character. */
const isHan = /\p{Script=Han}/u

/** Whether one of the text's words begins with these letters. */
function beginsWord(name: string, letters: string): boolean {
  for (let at = name.indexOf(letters); at >= 0; at = name.indexOf(letters, at + 1)) {
    if (at === 0 || isHan.test(letters[0] ?? '') || !isInWord.test(name[at - 1] ?? '')) return true
  }
  return false
}

/** Undefined if the name does not contain what is sought; several words may be in any order. */
function rankIn(name: string, { text, words }: Sought): Rank | undefined {
  if (!name.includes(text)) {
    return words.length > 1 && words.every((word) => beginsWord(name, word)) ? wordPrefix : undefined
  }
  if (name.length === text.length) return exact
  if (name.startsWith(text)) return prefix
  return beginsWord(name, text) ? wordPrefix : contained
}

/** A part of a word is found in names only: synonyms would otherwise appear for letters that they merely contain. */
function rankOfAlias(name: string, sought: Sought): Rank | undefined {
  const rank = rankIn(name, sought)
  return rank === undefined || rank === contained ? undefined : rank + alias
}

/** Exact names come first, then names that begin with the text, names with a word that does, and names that contain it. */
export function rankOf(sought: Sought, names: readonly string[], aliases: readonly string[] = []): Rank | undefined {
  let lowest: Rank | undefined
  const note = (rank: Rank | undefined) => {
    if (rank !== undefined && (lowest === undefined || rank < lowest)) lowest = rank
  }
  for (const name of names) note(rankIn(folded(name), sought))
  for (const name of aliases) note(rankOfAlias(folded(name), sought))
  return lowest
}

export interface Ranked<Item> {
  readonly item: Item
  readonly rank: Rank
}

/** The best items, in their order within a rank. Items without a rank are left out. */
export function best<Item>(
  items: Iterable<Item>,
  most: number,
  rank: (item: Item) => Rank | undefined,
): Ranked<Item>[] {
  const byRank = new Map<Rank, Ranked<Item>[]>()
  for (const item of items) {
    const found = rank(item)
    if (found === undefined) continue
    const same = byRank.get(found)
    if (!same) byRank.set(found, [{ item, rank: found }])
    else if (same.length < most) same.push({ item, rank: found })
  }
  return [...byRank.keys()]
    .toSorted((one, other) => one - other)
    .flatMap((each) => byRank.get(each) ?? [])
    .slice(0, most)
}
