import { mostHosts, problem, rule } from '@mainline/contract'

/** `bk_host_id` as clients send it: "1,2,3", one number, or an array of either. */
export function readHostIds(sent: unknown): number[] {
  const list = Array.isArray(sent) ? sent : typeof sent === 'string' ? sent.split(',') : [sent]
  if (list.length > mostHosts) throw problem('tooMany', { what: 'bk_host_id', limit: mostHosts })
  const ids = list.map((each) => Number(typeof each === 'string' && each.trim() === '' ? Number.NaN : each))
  const wrong = ids.findIndex((id) => !Number.isSafeInteger(id) || id < 1)
  if (wrong >= 0) {
    const value = String(list[wrong]).slice(0, 64)
    throw problem('notInteger', { field: 'bk_host_id', rule: rule('value', { value: value === '' ? "''" : value }) })
  }
  return [...new Set(ids)]
}
