// A pasted list may be too long for an address: servers and proxies refuse more than 8 or 16 KiB. Such a list is stored in the tab, where it survives
// reloads and navigation, and the address has its key.

/** Length in the address; there may be two of them. */
const longest = 3_000
const mark = '*kept-'
const place = 'mainline.lists'
/** Editing a long list creates a new entry with every keystroke, so old ones are removed. */
const mostKept = 12

const kept = new Map<string, string>(read())

function read(): [string, string][] {
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? '[]')
  } catch {
    return []
  }
}

function keep(text: string): string {
  const known = [...kept].find(([, each]) => each === text)?.[0]
  const id = known ?? mark + Math.random().toString(36).slice(2, 10)
  kept.delete(id)
  kept.set(id, text)
  for (const oldest of [...kept.keys()].slice(0, -mostKept)) kept.delete(oldest)
  try {
    sessionStorage.setItem(place, JSON.stringify([...kept]))
  } catch {
    // If session storage is unavailable or full, it is kept in memory.
  }
  return id
}

export const isKept = (text: string | undefined): boolean => text?.startsWith(mark) ?? false

/** As stored in the address. */
export const shortened = (text: string): string => (encodeURIComponent(text).length > longest ? keep(text) : text)

/** The original value; undefined if it was stored by another tab. */
export const whole = (text: string): string | undefined => (isKept(text) ? kept.get(text) : text)
