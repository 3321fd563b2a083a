// A pasted list may be longer than an address may be: servers and proxies refuse one of 8 or 16 KiB. Such a list is kept by the
// tab, where it survives reloading and going back, and the address only says which one it is.

/** In an address, and there may be two of them. */
const longest = 3_000
const mark = '*kept-'
const place = 'mainline.lists'
/** Somebody who edits a long list leaves a new one behind with every letter. */
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
    // Where the tab may keep nothing, or not so much, it lasts as long as the page.
  }
  return id
}

export const isKept = (text: string | undefined): boolean => text?.startsWith(mark) ?? false

/** As it goes into the address. */
export const shortened = (text: string): string => (encodeURIComponent(text).length > longest ? keep(text) : text)

/** As it was before; undefined when it was kept by another tab. */
export const whole = (text: string): string | undefined => (isKept(text) ? kept.get(text) : text)
