// What a page does besides being read: search, copying, the theme, and where in the page one is.

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
document.querySelector('.side [aria-current]')?.scrollIntoView({ block: 'nearest' })

// --- search

const input = document.querySelector('#search')
const results = document.querySelector('#results')
const most = 12
let index

/** Sections, in lower case beside the words as they are: read once, when somebody means to search. */
async function load() {
  index ??= fetch('/docs/search.json')
    .then((answer) => answer.json())
    .then((lines) =>
      lines.map(([address, page, title, text]) => ({
        address,
        page,
        title,
        text,
        inTitle: title.toLowerCase(),
        inText: `${page} ${text}`.toLowerCase(),
      })),
    )
  return index
}

/** All words must be there; a heading counts for more than the text below it, a beginning of a word for more than its middle. */
function score({ inTitle, inText }, words) {
  let sum = 0
  for (const word of words) {
    const [title, text] = [inTitle.indexOf(word), inText.indexOf(word)]
    if (title < 0 && text < 0) return 0
    if (title >= 0) sum += inTitle === word ? 100 : title === 0 || /\W/.test(inTitle[title - 1]) ? 40 : 15
    if (text >= 0) sum += /\w/.test(inText[text - 1] ?? ' ') ? 2 : 6
  }
  return sum
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

async function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
  results.hidden = words.length === 0
  if (words.length === 0) return
  const sections = await load()
  const found = sections
    .map((section) => ({ section, points: score(section, words) }))
    .filter(({ points }) => points > 0)
    .sort((one, other) => other.points - one.points)
  const links = found.slice(0, most).map(({ section: { address, page, title, text } }) => {
    const where = element('span', { className: 'page', textContent: page })
    const head = element('span', { className: 'title' }, ...excerpt(title, words))
    return element(
      'a',
      { href: address },
      head,
      where,
      element('span', { className: 'excerpt' }, ...excerpt(text, words)),
    )
  })
  const nothing = element('p', { textContent: `Nothing is said about “${input.value.trim()}”.` })
  results.replaceChildren(...(links.length > 0 ? links : [nothing]))
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
