import { useEffect } from 'react'

/** The heading of a page, which is also the title of the window: for tabs, bookmarks and screen readers. */
export function PageTitle({ text, className }: { text: string; className?: string }) {
  const said = text.trim()
  useEffect(() => {
    document.title = said ? `${said} · Mainline` : 'Mainline'
  }, [said])
  // Keeps the layout stable while the text is loading.
  return <h1 {...(className && { className })}>{said || '\u00a0'}</h1>
}
