import { type RefObject, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

interface RowsInSight {
  readonly scroller: RefObject<HTMLDivElement | null>
  /** The rows to draw, the last one excluded. */
  readonly from: number
  readonly to: number
  /** How many fit. */
  readonly page: number
  /** Brings a row into sight, by no more than it takes. */
  reveal(index: number): void
}

/** Drawn on either side of what is in sight; and others are drawn only once that many have been scrolled past. */
const margin = 4

/** Which rows of equal height are in sight of what scrolls over them. */
export function useRowsInSight(count: number, height: number): RowsInSight {
  const scroller = useRef<HTMLDivElement>(null)
  const [first, setFirst] = useState(0)
  const [page, setPage] = useState(30)

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    // At once: what is drawn a frame later has been missing from this one.
    const scrolled = () => flushSync(() => setFirst(Math.floor(element.scrollTop / height / margin) * margin - margin))
    const resized = new ResizeObserver(() => setPage(Math.floor(element.clientHeight / height)))
    element.addEventListener('scroll', scrolled, { passive: true })
    resized.observe(element)
    return () => {
      element.removeEventListener('scroll', scrolled)
      resized.disconnect()
    }
  }, [height])

  const most = page + 3 * margin + 1
  const from = Math.max(0, Math.min(first, count - most))
  return {
    scroller,
    from,
    to: Math.min(count, from + most),
    page,
    reveal(index) {
      const element = scroller.current
      if (!element) return
      const top = index * height
      if (top < element.scrollTop) element.scrollTop = top
      else element.scrollTop = Math.max(element.scrollTop, top + height - element.clientHeight)
    },
  }
}
