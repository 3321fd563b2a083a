/** Longer lists are shortened: describing errors takes several hundred times as long as detecting one. */
const maxListLength = 100
/** Maximum number of shortened lists per body; each takes about fifteen checks of the whole body. */
const maxShortened = 20

/** The remaining entry of a list, and its index in the original list. */
interface Culprit {
  readonly list: string
  readonly index: number
}

/** The path of the same value in the original body. */
export type OriginalPath = (path: readonly string[]) => string[]

/**
 * Reduces the long lists of an invalid body, in place, to the invalid entry: describing 20,000 invalid entries would take 30 ms and 8 MB, and only
 * the first is reported.
 */
export function shortenLists(body: unknown, isRight: () => boolean): { originalPath: OriginalPath } {
  const culprits: Culprit[] = []
  let listsLeft = maxShortened
  function shorten(value: unknown, path: readonly string[]): void {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if (listsLeft === 0) return
      const innerPath = [...path, key]
      if (Array.isArray(inner) && inner.length > maxListLength) {
        listsLeft--
        culprits.push({ list: innerPath.join('/'), index: keepCulprit(inner, isRight) })
      }
      shorten(inner, innerPath)
    }
  }
  shorten(body, [])
  const originalKey = (key: string, list: string): string => {
    const culprit = key === '0' && culprits.find((each) => each.list === list)
    return culprit ? String(culprit.index) : key
  }
  return { originalPath: (path) => path.map((key, depth) => originalKey(key, path.slice(0, depth).join('/'))) }
}

/** Leaves the first invalid entry of the list, whose index is returned; or one too many; or one, if the error is elsewhere. */
function keepCulprit(list: unknown[], isRight: () => boolean): number {
  const all = list.slice()
  const passes = (from: number, to: number) => {
    list.splice(0, list.length, ...all.slice(from, to))
    return isRight()
  }
  if (!passes(0, 1)) return 0
  let [right, wrong] = [1, all.length]
  while (wrong - right > 1) {
    const middle = (right + wrong) >> 1
    if (passes(0, middle)) right = middle
    else wrong = middle
  }
  if (!passes(wrong - 1, wrong)) return wrong - 1
  passes(0, wrong)
  return 0
}
