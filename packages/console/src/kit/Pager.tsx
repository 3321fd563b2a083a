import { useEffect } from 'react'
import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'
import { Button } from './Button.tsx'

/** The start of a page as stored in the address; the first page if that is invalid. */
export const startIn = (text: string | undefined): number => {
  const start = Number(text ?? 0)
  return Number.isSafeInteger(start) && start > 0 ? start : 0
}

interface Paged {
  readonly start: number
  readonly limit: number
  /** Undefined while it is unknown. */
  readonly count: number | undefined
}

/** Goes back to the last page if the requested one is behind it, since its records have been removed. */
export function useLastPage({ start, limit, count }: Paged, onStart: (start: number) => void): void {
  const last = count === undefined ? start : Math.floor(Math.max(0, count - 1) / limit) * limit
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another page or another count can lead anywhere
  useEffect(() => {
    if (start > last) onStart(last)
  }, [start, last])
}

interface PagerProps {
  start: number
  limit: number
  count: number
  onStart(start: number): void
  /** On hover, to prefetch the page. */
  onNear?: (start: number) => void
}

export function Pager({ start, limit, count, onStart, onNear }: PagerProps) {
  const words = useWords(common)
  const end = Math.min(start + limit, count)
  const before = Math.max(0, start - limit)
  return (
    <div className="pager">
      <span>{count === 0 ? '' : words.shown(start + 1, end, count)}</span>
      <Button
        look="quiet"
        icon="left"
        label={words.previous}
        isDisabled={start === 0}
        onPress={() => onStart(before)}
        onHoverStart={() => onNear?.(before)}
      />
      <Button
        look="quiet"
        icon="chevron"
        label={words.next}
        isDisabled={end >= count}
        onPress={() => onStart(start + limit)}
        onHoverStart={() => onNear?.(start + limit)}
      />
    </div>
  )
}
