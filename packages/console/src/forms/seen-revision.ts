import { useState } from 'react'
import { revisionNow } from '../api/failures.ts'

/** The first value that was known: a form stays when its record is deleted by another user. */
export function useFirst<Value>(current: Value | undefined): Value | undefined {
  const [first, setFirst] = useState(current)
  if (first === undefined && current !== undefined) setFirst(current)
  return first ?? current
}

/**
 * The revision that a form is based on. The record behind it is refetched now and then: concurrent changes were not seen here. Once such a change was
 * refused (`error`), saving again applies to the current record.
 */
export function useSeenRevision(current: number | undefined, error: Error | null): number | undefined {
  const seen = useFirst(current)
  return revisionNow(error) ?? seen
}
