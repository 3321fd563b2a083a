import { useEffect } from 'react'

/** The heading of a page, which is also the title of the window: of tabs, of bookmarks, and said first to who cannot see. */
export function PageTitle({ text, className }: { text: string; className?: string }) {
  const said = text.trim()
  useEffect(() => {
    document.title = said ? `${said} · Mainline` : 'Mainline'
  }, [said])
  // Nothing jumps when the text comes.
  return <h1 {...(className && { className })}>{said || '\u00a0'}</h1>
}
