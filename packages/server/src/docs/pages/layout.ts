import { contents, type Entry, entries } from '../contents.ts'
import { asHtml } from './as-html.ts'
import type { Rendered } from './markdown.ts'

export const pageAddress = ({ path }: Pick<Entry, 'path'>) => (path === '' ? '/docs' : `/docs/${path}`)

const icon =
  '<svg viewBox="0 0 32 32" width="22" height="22" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#1f5eff"/><path d="M9 6v20M9 11h9a5 5 0 0 1 5 5v10" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>'
const bars =
  '<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="M2 4h12M2 8h12M2 12h12" stroke="currentColor" stroke-width="1.6" stroke-linecap="round"/></svg>'

interface Frame {
  readonly title: string
  /** The content below the top bar. */
  readonly body: string
  /** The page that is marked as current in the navigation. */
  readonly current?: Entry
  readonly styles?: readonly string[]
  readonly scripts?: readonly string[]
}

/** The frame of every page: styles, the bar with the search, the navigation. On small screens the navigation is a popover, which needs no script. */
const framed = ({ title, body, current, styles = [], scripts = [] }: Frame): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${asHtml(title)} · Mainline</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
${['/docs/site/tokens.css', '/docs/site/text.css', '/docs/site/frame.css', ...styles].map((file) => `<link rel="stylesheet" href="${file}">`).join('\n')}
<script src="/docs/site/theme.js"></script>
<script src="/docs/site/page.js" type="module"></script>
${scripts.map((file) => `<script src="${file}" defer></script>`).join('\n')}
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header class="top">
<button class="menu" type="button" popovertarget="pages" aria-label="Pages">${bars}</button>
<a class="brand" href="/docs">${icon}<span>Mainline</span><span class="faint">docs</span></a>
<search class="search">
<input id="search" type="search" placeholder="Search" aria-label="Search the documentation" aria-controls="results" autocomplete="off" spellcheck="false">
<kbd aria-hidden="true">/</kbd>
<div id="results" role="region" aria-label="Search results" aria-live="polite" hidden></div>
</search>
<nav class="out" aria-label="Elsewhere"><a href="/docs/api/try">Try the API</a><a href="/">Console</a><button id="theme" type="button" hidden></button></nav>
</header>
<div class="columns">
<nav class="side" id="pages" aria-label="Pages" popover>
<ul class="elsewhere"><li><a href="/docs/api/try">Try the API</a></li><li><a href="/">Console</a></li></ul>
${sidebar(current)}</nav>
${body}
</div>
</body>
</html>
`

/** A page with its text, links to the previous and next page, and its headings. */
export function layOut(entry: Entry, { title, html, headings }: Rendered): string {
  const body = `<main id="content" tabindex="-1">
<article>
<p class="where">${asHtml(groupOf(entry))}</p>
${html}</article>
${turning(entry)}
</main>
${onThisPage(headings)}`
  return framed({ title: title || entry.title, body, current: entry })
}

/** The answer to an address without a page. page.js adds sections that have the words of the address. */
export function layOutMissing(path: string, near: readonly Entry[]): string {
  const links = near.map((entry) => `<li><a href="${pageAddress(entry)}">${asHtml(entry.title)}</a></li>`).join('')
  const nearest = links === '' ? '' : `<h2>Pages with a similar address</h2><ul>${links}</ul>`
  const body = `<main id="content" tabindex="-1">
<article>
<p class="where">404</p>
<h1 id="not-found">Page not found</h1>
<p>There is no page at <code>${asHtml(`/docs/${path.slice(0, 200)}`)}</code>. Search above, or go to <a href="/docs">the first page</a>.</p>
${nearest}
<div id="suggestions"></div>
</article>
</main>`
  return framed({ title: 'Page not found', body })
}

/** The page to try operations: Swagger UI in our own frame. */
export function layOutTrying(assets: string): string {
  const body = `<main id="content" tabindex="-1" class="trying">
<article>
<p class="where">Reference</p>
<h1 id="try">Try the API</h1>
<p>Requests from this page go to this server. <a href="/docs/api">The reference</a> describes the same operations; the document is <a href="/openapi.json">openapi.json</a>.</p>
</article>
<div id="swagger-ui"></div>
</main>`
  const named = (file: string) => `${assets}/${file}`
  return framed({
    title: 'Try the API',
    body,
    styles: [named('swagger-ui.css')],
    scripts: ['swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'swagger-initializer.js'].map(named),
  })
}

const groupOf = (entry: Entry) => contents.find((group) => group.entries.includes(entry))?.title ?? ''

const sidebar = (current: Entry | undefined) =>
  contents
    .map(
      ({ title, entries }) =>
        `<h2>${asHtml(title)}</h2><ul>${entries.map((entry) => `<li>${sideLink(entry, current)}</li>`).join('')}</ul>`,
    )
    .join('\n')

const sideLink = (entry: Entry, current: Entry | undefined) => {
  const here = entry === current ? ' aria-current="page"' : ''
  const inner = entry.inner ? ' class="inner"' : ''
  return `<a href="${pageAddress(entry)}"${here}${inner}>${asHtml(entry.title)}</a>`
}

/** Links to the next and the previous page. */
function turning(entry: Entry): string {
  const index = entries.indexOf(entry)
  const link = (to: Entry | undefined, rel: string, word: string) =>
    to ? `<a rel="${rel}" href="${pageAddress(to)}"><span>${word}</span>${asHtml(to.title)}</a>` : '<span></span>'
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
