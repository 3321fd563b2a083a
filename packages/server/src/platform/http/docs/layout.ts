import { asHtml } from './as-html.ts'
import { contents, type Entry, entries } from './contents.ts'
import type { Rendered } from './markdown.ts'

export const addressOf = ({ path }: Pick<Entry, 'path'>) => (path === '' ? '/docs' : `/docs/${path}`)

const icon =
  '<svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#1f5eff"/><path d="M9 6v20M9 11h9a5 5 0 0 1 5 5v10" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>'

/** A whole page: what it says, what stands around it, and the way to all others. */
export function layOut(entry: Entry, { title, html, headings }: Rendered): string {
  const shown = title || entry.title
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${asHtml(shown)} · Mainline</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/site/tokens.css">
<link rel="stylesheet" href="/docs/site/text.css">
<link rel="stylesheet" href="/docs/site/frame.css">
<script src="/docs/site/theme.js"></script>
<script src="/docs/site/page.js" type="module"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header class="top">
<a class="brand" href="/docs">${icon}<span>Mainline</span><span class="faint">docs</span></a>
<search class="search">
<input id="search" type="search" placeholder="Search" aria-label="Search the documentation" aria-controls="results" autocomplete="off" spellcheck="false">
<kbd aria-hidden="true">/</kbd>
<div id="results" role="region" aria-label="Search results" aria-live="polite" hidden></div>
</search>
<nav class="out" aria-label="Elsewhere"><a href="/docs/api/try">Try the API</a><a href="/">Console</a><button id="theme" type="button" hidden></button></nav>
</header>
<div class="columns">
<nav class="side" aria-label="Pages">${sidebar(entry)}</nav>
<main id="content" tabindex="-1">
<article>
<p class="where">${asHtml(groupOf(entry))}</p>
${html}</article>
${turning(entry)}
</main>
${onThisPage(headings)}
</div>
</body>
</html>
`
}

const groupOf = (entry: Entry) => contents.find((group) => group.entries.includes(entry))?.title ?? ''

const sidebar = (current: Entry) =>
  contents
    .map(
      ({ title, entries }) =>
        `<h2>${asHtml(title)}</h2><ul>${entries.map((entry) => `<li>${sideLink(entry, current)}</li>`).join('')}</ul>`,
    )
    .join('\n')

const sideLink = (entry: Entry, current: Entry) => {
  const here = entry === current ? ' aria-current="page"' : ''
  const inner = entry.inner ? ' class="inner"' : ''
  return `<a href="${addressOf(entry)}"${here}${inner}>${asHtml(entry.title)}</a>`
}

/** The way on, and back. */
function turning(entry: Entry): string {
  const index = entries.indexOf(entry)
  const link = (to: Entry | undefined, rel: string, word: string) =>
    to ? `<a rel="${rel}" href="${addressOf(to)}"><span>${word}</span>${asHtml(to.title)}</a>` : '<span></span>'
  const [before, after] = index < 0 ? [] : [entries[index - 1], entries[index + 1]]
  return `<nav class="turn" aria-label="Next and previous">${link(before, 'prev', 'Previous')}${link(after, 'next', 'Next')}</nav>`
}

function onThisPage(headings: Rendered['headings']): string {
  const listed = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (listed.length < 2) return ''
  const links = listed.map(
    ({ id, text, depth }) => `<li class="depth-${depth}"><a href="#${id}">${asHtml(text)}</a></li>`,
  )
  return `<aside class="toc" aria-label="On this page"><h2>On this page</h2><ul>${links.join('')}</ul></aside>`
}
