import { useEffect, useRef, useState } from 'react'

const none: ReadonlySet<never> = new Set<never>()
/** As long as the animation of `.changed` in kit.css. */
const flashMs = 1_600

/** Ids that are marked as changed for a short time. */
export function useFlash<Id>(): [flashing: ReadonlySet<Id>, flash: (ids: readonly Id[]) => void] {
  const [flashing, setFlashing] = useState<ReadonlySet<Id>>(none)
  useEffect(() => {
    if (flashing.size === 0) return undefined
    const timer = setTimeout(() => setFlashing(none), flashMs)
    return () => clearTimeout(timer)
  }, [flashing])
  const [flash] = useState(() => (ids: readonly Id[]) => {
    if (ids.length > 0) setFlashing(new Set(ids))
  })
  return [flashing, flash]
}

interface Shown<Id> {
  readonly list: string
  readonly values: ReadonlyMap<Id, string>
}

/**
 * The rows whose values have changed, or that were added, since the list was first shown. `list` identifies what is listed: rows of another page
 * or search have not changed. Undefined rows are not loaded yet.
 */
export function useChanged<Row, Id>(
  list: string,
  rows: readonly Row[] | undefined,
  idOf: (row: Row) => Id,
): ReadonlySet<Id> {
  const shown = useRef<Shown<Id> | null>(null)
  const [flashing, flash] = useFlash<Id>()
  useEffect(() => {
    if (!rows) return
    const values = new Map(rows.map((row) => [idOf(row), JSON.stringify(row)]))
    const before = shown.current
    shown.current = { list, values }
    if (before?.list !== list) return
    flash([...values].filter(([id, value]) => before.values.get(id) !== value).map(([id]) => id))
  }, [list, rows, idOf, flash])
  return flashing
}
