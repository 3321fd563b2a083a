import { useState } from 'react'

interface Typed {
  readonly text: string
  /** What the owner of the text has shown last. */
  readonly shown: string
  /** What has been sent to the owner and not been shown yet. */
  readonly sent: readonly string[]
}

/**
 * What is typed stands in the field at once, even where its owner is slow to say it back, as the address is: otherwise the
 * caret would jump to the end and letters would get lost. What the owner says of its own accord wins.
 */
export function useTyped(value: string, onChange: (text: string) => void): [string, (text: string) => void] {
  const [typed, setTyped] = useState<Typed>({ text: value, shown: value, sent: [] })
  let current = typed
  if (value !== typed.shown) {
    const echo = typed.sent.indexOf(value)
    current =
      echo >= 0
        ? { text: typed.text, shown: value, sent: typed.sent.slice(echo + 1) }
        : { text: value, shown: value, sent: [] }
    setTyped(current)
  }
  const type = (text: string) => {
    setTyped(({ shown, sent }) => ({ text, shown, sent: [...sent, text] }))
    onChange(text)
  }
  return [current.text, type]
}
