import type { Place } from './tree.ts'

export type Step = { to: number } | { open: boolean } | { act: 'select' | 'rename' | 'delete' }

/** The action of a key in a tree, as in file managers. Undefined: not handled. */
export function step(
  key: string,
  rows: readonly Place[],
  at: number,
  isOpen: (place: Place) => boolean,
  page: number,
): Step | undefined {
  const place = rows[at]
  if (!place) return undefined
  const last = rows.length - 1
  switch (key) {
    case 'ArrowDown':
      return { to: Math.min(last, at + 1) }
    case 'ArrowUp':
      return { to: Math.max(0, at - 1) }
    case 'Home':
      return { to: 0 }
    case 'End':
      return { to: last }
    case 'PageDown':
      return { to: Math.min(last, at + page) }
    case 'PageUp':
      return { to: Math.max(0, at - page) }
    case 'ArrowRight':
      if (place.children.length === 0) return { to: at }
      return isOpen(place) ? { to: Math.min(last, at + 1) } : { open: true }
    case 'ArrowLeft':
      if (place.children.length > 0 && isOpen(place)) return { open: false }
      return { to: place.parent ? rows.lastIndexOf(place.parent, at) : at }
    case 'Enter':
    case ' ':
      return { act: 'select' }
    case 'F2':
      return { act: 'rename' }
    case 'Delete':
      return { act: 'delete' }
    default:
      return key.length === 1 ? { to: named(key, rows, at) } : undefined
  }
}

/** The next row, wrapping around, whose name begins with the letter. */
function named(letter: string, rows: readonly Place[], at: number): number {
  const begins = letter.toLocaleLowerCase()
  for (let offset = 1; offset <= rows.length; offset++) {
    const index = (at + offset) % rows.length
    if (rows[index]?.name.toLocaleLowerCase().startsWith(begins)) return index
  }
  return at
}
