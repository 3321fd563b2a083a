import { useState } from 'react'
import { revisionNow } from '../api/failures.ts'

/**
 * The revision that a form is based on. The record behind it is refetched now and then: concurrent changes were not seen here. Once such a change was
 * refused (`error`), saving again applies to the current record.
 */
export function useSeenRevision(current: number | undefined, error: Error | null): number | undefined {
  const [seen, setSeen] = useState(current)
  if (seen === undefined && current !== undefined) setSeen(current)
  return revisionNow(error) ?? seen ?? current
}
