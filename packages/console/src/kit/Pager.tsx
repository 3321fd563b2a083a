import { common } from '../words/common.ts'
import { useWords } from '../words/index.ts'
import { Button } from './Button.tsx'

interface PagerProps {
  start: number
  limit: number
  count: number
  onStart(start: number): void
  /** The pointer is about to ask for that page. */
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
