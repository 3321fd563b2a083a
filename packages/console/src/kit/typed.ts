import { useState } from 'react'

interface Owned<Draft> {
  readonly draft: Draft
  /** What the owner has shown last. */
  readonly shown: string
  /** What has been sent to the owner and not been shown yet. */
  readonly sent: readonly string[]
}

/**
 * Something being worked on whose owner, as the address, knows it as text, is slow to say it back, and may not know all of
 * it. It stands as it was left until the owner says something of its own accord: that wins.
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
    // What the owner knows already it will not say back.
    setOwned(({ shown, sent }) => ({ draft, shown, sent: next === (sent.at(-1) ?? shown) ? sent : [...sent, next] }))
  return [current.draft, write]
}

const asItIs = (text: string) => text

/** What is typed stands in the field at once: otherwise the caret would jump to the end and letters would get lost. */
export function useTyped(value: string, onChange: (text: string) => void): [string, (text: string) => void] {
  const [text, write] = useDraft(value, asItIs)
  const type = (next: string) => {
    write(next, next)
    onChange(next)
  }
  return [text, type]
}
