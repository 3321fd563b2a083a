import { useState } from 'react'

interface Owned<Draft> {
  readonly draft: Draft
  /** The value last received from the owner. */
  readonly shown: string
  /** Values sent to the owner that have not come back yet. */
  readonly sent: readonly string[]
}

/**
 * A draft over a value whose owner, such as the URL, stores it as text, answers late, and may drop parts of it. The draft is shown
 * until the owner changes the value by itself, which replaces the draft.
 */
export function useDraft<Draft>(
  value: string,
  read: (value: string) => Draft,
): [Draft, (draft: Draft, value: string) => void] {
  const [owned, setOwned] = useState<Owned<Draft>>(() => ({ draft: read(value), shown: value, sent: [] }))
  let current = owned
  if (value !== owned.shown) {
    const echo = owned.sent.indexOf(value)
    current =
      echo >= 0
        ? { draft: owned.draft, shown: value, sent: owned.sent.slice(echo + 1) }
        : { draft: read(value), shown: value, sent: [] }
    setOwned(current)
  }
  const write = (draft: Draft, next: string) =>
    // The owner does not send back what it has already.
    setOwned(({ shown, sent }) => ({ draft, shown, sent: next === (sent.at(-1) ?? shown) ? sent : [...sent, next] }))
  return [current.draft, write]
}

const asItIs = (text: string) => text

/** The typed text is shown immediately: otherwise the caret would jump to the end and characters would get lost. */
export function useTyped(value: string, onChange: (text: string) => void): [string, (text: string) => void] {
  const [text, write] = useDraft(value, asItIs)
  const type = (next: string) => {
    write(next, next)
    onChange(next)
  }
  return [text, type]
}
