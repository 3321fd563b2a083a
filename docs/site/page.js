// Search, copy buttons, the theme, the navigation on small screens, and the current heading.
import { find, readIndex } from './search.js'

/** An element with what it says and holds. */
function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

// --- copying

for (const figure of document.querySelectorAll('figure.code:not(.answer)')) {
  const button = element('button', { type: 'button', className: 'copy', textContent: 'Copy' })
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(figure.querySelector('code').textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1500)
  })
  figure.append(button)
}

// --- theme, shared with the console

const themes = ['system', 'light', 'dark']
const themeButton = document.querySelector('#theme')
const preferences = () => {
  try {
    return JSON.parse(localStorage.getItem('mainline') ?? '{}')
  } catch {
    return {}
  }
}
function showTheme() {
  const theme = document.documentElement.dataset.theme ?? 'system'
  themeButton.textContent = { system: 'Auto', light: 'Light', dark: 'Dark' }[theme]
  themeButton.title = 'Light, dark, or as the system says'
  themeButton.setAttribute('aria-label', `Theme: ${themeButton.textContent}`)
  themeButton.hidden = false
}
themeButton.addEventListener('click', () => {
  const theme = themes[(themes.indexOf(document.documentElement.dataset.theme ?? 'system') + 1) % themes.length]
  document.documentElement.dataset.theme = theme
  try {
    localStorage.setItem('mainline', JSON.stringify({ ...preferences(), theme }))
  } catch {
    // It holds for this page, then.
  }
  showTheme()
})
showTheme()

// --- where in the page one is

const places = [...document.querySelectorAll('.toc a')]
const headings = places.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))))
function mark() {
  const passed = headings.findLastIndex((heading) => heading && heading.getBoundingClientRect().top < 120)
  for (const [index, link] of places.entries()) {
    if (index === Math.max(passed, 0)) link.setAttribute('aria-current', 'true')
    else link.removeAttribute('aria-current')
  }
}
if (places.length > 0) {
  addEventListener('scroll', mark, { passive: true })
  mark()
}
const side = document.querySelector('.side')
const showCurrentPage = () => side?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
showCurrentPage()
side?.addEventListener('toggle', showCurrentPage)

// --- search

const input = document.querySelector('#search')
const results = document.querySelector('#results')
const most = 12
let index

/** Loaded once, when a search begins. */
function load() {
  index ??= fetch('/docs/search.json')
    .then((answer) => answer.json())
    .then(readIndex)
  return index
}

/** Some words around the first that was found, with all of them marked. */
function excerpt(text, words) {
  const lower = text.toLowerCase()
  const first = Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at >= 0), text.length)
  const from = first === text.length ? 0 : Math.max(0, text.lastIndexOf(' ', Math.max(0, first - 50)) + 1)
  const shown = `${from > 0 ? '… ' : ''}${text.slice(from, from + 150)}${text.length > from + 150 ? ' …' : ''}`
  const pattern = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'gi')
  // Split by a group, every second piece is a match.
  return shown.split(pattern).map((part, at) => (at % 2 === 1 ? element('mark', { textContent: part }) : part))
}

const linkTo = ({ address, page, title, text }, words) =>
  element(
    'a',
    { href: address },
    element('span', { className: 'title' }, ...excerpt(title, words)),
    element('span', { className: 'page', textContent: page }),
    element('span', { className: 'excerpt' }, ...excerpt(text, words)),
  )

async function search() {
  const query = input.value.trim()
  results.hidden = query === ''
  if (query === '') return
  const { found, marks, corrected } = find(await load(), query)
  // Typed on meanwhile: the answer to that is on its way.
  if (input.value.trim() !== query) return
  const links = found.slice(0, most).map((section) => linkTo(section, marks))
  const note =
    links.length === 0
      ? `No results for “${query}”.`
      : corrected.length > 0
        ? `Results for “${corrected.join(' ')}”:`
        : ''
  results.dataset.query = query
  results.replaceChildren(...(note === '' ? [] : [element('p', { textContent: note })]), ...links)
}

input.addEventListener('focus', load)
input.addEventListener('input', search)
/** Up and down through the results, with the field above the first. */
document.querySelector('.search').addEventListener('keydown', (event) => {
  const stops = [input, ...results.querySelectorAll('a')]
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step !== undefined && !results.hidden) {
    stops[Math.min(Math.max(stops.indexOf(document.activeElement) + step, 0), stops.length - 1)].focus()
    event.preventDefault()
  }
  if (event.key === 'Enter' && document.activeElement === input) stops[1]?.click()
  if (event.key === 'Escape') {
    results.hidden = true
    input.blur()
  }
})
results.addEventListener('click', () => {
  results.hidden = true
})
document.addEventListener('click', (event) => {
  if (!event.target.closest('.search')) results.hidden = true
})
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) return
  event.preventDefault()
  input.focus()
  input.select()
})

// --- a page that does not exist: what its address may have meant

const suggestions = document.querySelector('#suggestions')
if (suggestions) {
  const words = decodeURIComponent(location.pathname)
    .replace(/^\/docs\/?/, '')
    .split(/[^\p{L}\p{N}]+/u)
  const { found, marks } = find(
    await load(),
    words.filter((word) => !/^(docs|guides|concepts|html|md|)$/.test(word)).join(' '),
  )
  const links = found.slice(0, 5).map((section) => linkTo(section, marks))
  if (links.length > 0) {
    suggestions.append(
      element('h2', { textContent: 'Sections with these words' }),
      element('div', { className: 'found' }, ...links),
    )
  }
}
