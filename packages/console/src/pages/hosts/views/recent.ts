import { useEffect } from 'react'
import type { Attribute } from '../../../forms/attributes.ts'
import type { Kind } from '../../../forms/filters.ts'
import type { HostView } from '../browsing.ts'
import { isSearch, noteSearch, toStored } from './views.ts'

/** A search that is left as it is for so long is noted as a recent one. */
const settledMs = 4_000
let last = ''

/** Notes searches that have found hosts. */
export function useRecent(view: HostView, hasFound: boolean, attributes: (kind: Kind) => readonly Attribute[]): void {
  const search: HostView = { ...(view.q && { q: view.q }), ...(view.where && { where: view.where }) }
  const stored = hasFound && isSearch(search) ? JSON.stringify(toStored(search, attributes)) : ''
  useEffect(() => {
    if (!stored || stored === last) return undefined
    const timer = setTimeout(() => {
      last = stored
      // It is only a convenience: a failure needs no attention.
      void noteSearch(JSON.parse(stored)).catch(() => {})
    }, settledMs)
    return () => clearTimeout(timer)
  }, [stored])
}
