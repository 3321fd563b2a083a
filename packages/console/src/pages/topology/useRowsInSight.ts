import { type RefObject, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

interface RowsInSight {
  readonly scroller: RefObject<HTMLDivElement | null>
  /** The range of rows to render, excluding `end`. */
  readonly from: number
  readonly to: number
  /** Number of rows that fit. */
  readonly page: number
  /** Scrolls a row into view by the smallest distance. */
  reveal(index: number): void
}

/** Overscan on either side; the range changes only after scrolling by this many rows. */
const margin = 4

/** The visible range of rows of equal height in a scroll container. */
export function useRowsInSight(count: number, height: number): RowsInSight {
  const scroller = useRef<HTMLDivElement>(null)
  const [first, setFirst] = useState(0)
  const [page, setPage] = useState(30)

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    // Synchronously: rows rendered a frame later would be missing from this one.
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
