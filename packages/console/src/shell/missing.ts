/** Failures to load files of the console. */
const missing = new WeakSet<object>()

export const noteMissing = () => addEventListener('vite:preloadError', ({ payload }) => missing.add(payload))

export const isMissing = (error: unknown): boolean => error instanceof Error && missing.has(error)

const key = 'mainline.reloaded'
const aWhile = 10_000

/** After an upgrade of the server the whole console is reloaded. Returns whether it is. */
export async function fetchAnew(): Promise<boolean> {
  if (Date.now() - Number(sessionStorage.getItem(key)) < aWhile) return false
  const answer = await fetch(location.href, { method: 'HEAD' }).catch(() => null)
  if (!answer?.ok) return false
  sessionStorage.setItem(key, String(Date.now()))
  location.reload()
  return true
}
