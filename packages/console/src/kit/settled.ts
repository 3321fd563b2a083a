import { useEffect, useState } from 'react'

/** The value after it has not changed for a moment (debounce): one request, not one per letter. */
export function useSettled<Value>(value: Value, delayMs = 150): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
  return settled
}
