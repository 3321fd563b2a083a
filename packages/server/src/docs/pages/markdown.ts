import { posix } from 'node:path'
import { Marked, type Token, type Tokens } from 'marked'
import { asHtml } from './as-html.ts'
import { coloured } from './colours.ts'

export interface Heading {
  readonly depth: number
  readonly id: string
  readonly text: string
}

/** A section of a page under one heading, as indexed by the search. */
interface Section {
  readonly id: string
  readonly title: string
  readonly text: string
}

export interface Rendered {
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
  readonly sections: readonly Section[]
}

/** The words behind the language of a fenced block: a file's name, or why it is not run. */
export interface Fence {
  readonly language: string
  readonly file: string | undefined
  readonly notRun: string | undefined
}

function readFence(info = ''): Fence {
  const [, language = '', rest = ''] = /^(\S*)\s*(.*)$/.exec(info) ?? []
  return { language, file: /\bfile=(\S+)/.exec(rest)?.[1], notRun: /\bnot-run: (.*)$/.exec(rest)?.[1] }
}

/** The target of a link on the site: a page, a picture, another site; undefined if the site does not have it. */
export type Resolve = (target: string) => string | undefined

/** Markdown as HTML. `resolve` is called for every link that is not an absolute URL. */
export function render(text: string, resolve: Resolve): Rendered {
  const headings: Heading[] = []
  const marked = new Marked({ gfm: true })
  const tokens = marked.lexer(text)
  const answers = answersOf(tokens)
  const takenIds = new Set<string>()
  marked.use({
    renderer: {
      heading({ tokens, depth, text }) {
        const [, shown = text, given] = /^(.*?)(?: \{#([\w-]+)\})?$/s.exec(text) ?? []
        const id = unused(given ?? slugOf(plain(shown)), takenIds)
        headings.push({ depth, id, text: plain(shown) })
        const inner = this.parser.parseInline(tokens).replace(/ \{#[\w-]+\}$/, '')
        if (depth === 1) return `<h1 id="${id}">${inner}</h1>\n`
        const label = asHtml(`Link to ${plain(shown)}`)
        return `<h${depth} id="${id}">${inner}<a class="anchor" href="#${id}" aria-label="${label}">#</a></h${depth}>\n`
      },
      code(token) {
        return codeBlock(token, answers.has(token))
      },
      table({ header, rows }) {
        const cells = (row: Tokens.TableCell[], tag: string) =>
          `<tr>${row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`
        const head = header.some((cell) => cell.text !== '') ? `<thead>${cells(header, 'th')}</thead>` : ''
        const body = rows.map((row) => cells(row, 'td')).join('\n')
        return `<div class="wide" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`
      },
      link({ href, tokens }) {
        const [address, text] = [resolve(href), this.parser.parseInline(tokens)]
        return address === undefined ? text : `<a href="${asHtml(address)}">${text}</a>`
      },
      image({ href, text }) {
        return `<figure><img src="${asHtml(resolve(href) ?? href)}" alt="${asHtml(text)}" loading="lazy"></figure>`
      },
    },
  })
  const html = marked.parser(tokens)
  return { title: headings[0]?.text ?? '', html, headings, sections: sectionsOf(tokens, headings) }
}

/** Blocks with the output of the commands above them. */
function answersOf(tokens: readonly Token[]): Set<Token> {
  const shown = tokens.filter(({ type }) => type !== 'space' && type !== 'html')
  return new Set(
    shown.filter((token, index) => {
      const before = shown[index - 1]
      const isAnswer = token.type === 'code' && /^(json|text)?$/.test(readFence(token.lang).language)
      return isAnswer && before?.type === 'code' && readFence(before.lang).language === 'sh'
    }),
  )
}

function codeBlock({ lang, text }: Tokens.Code, isAnswer: boolean): string {
  const { language, file, notRun } = readFence(lang)
  const caption = file ?? (notRun && `Not run by the tests: ${notRun}`)
  const top = caption ? `<figcaption>${asHtml(caption)}</figcaption>` : ''
  const code = `<pre tabindex="0"><code>${coloured(text, language)}</code></pre>`
  const name = isAnswer ? 'code answer' : 'code'
  return `<figure class="${name}" data-language="${asHtml(language)}">${top}${code}</figure>\n`
}

/** The search index of a page: its text without markup, by heading. */
function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  const sections: Section[] = []
  let next = 0
  let words: string[] = []
  const close = () => {
    const heading = headings[next - 1]
    if (heading)
      sections.push({ id: heading.id, title: heading.text, text: words.join(' ').replace(/\s+/g, ' ').trim() })
    words = []
  }
  for (const token of tokens) {
    if (token.type === 'heading') {
      close()
      next += 1
    } else if (token.type !== 'html' && token.type !== 'space') words.push(plain(token.raw))
  }
  close()
  return sections
}

const plain = (text: string) =>
  text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^```.*$/gm, '')
    .replace(/^\|?[-:| ]+\|?$/gm, '')
    .replace(/[`*]|\|/g, '')

const slugOf = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .trim()
    .replaceAll(' ', '-')

function unused(id: string, taken: Set<string>): string {
  let free = id
  for (let turn = 1; taken.has(free); turn++) free = `${id}-${turn}`
  taken.add(free)
  return free
}

/** Converts links between files to links between pages; `addressOf` knows the pages and the pictures. */
export const linksFrom =
  (file: string, addressOf: (file: string) => string | undefined): Resolve =>
  (target) => {
    if (/^([a-z]+:|#|\/)/.test(target)) return target
    const [path = '', hash] = target.split('#')
    const named = posix.normalize(posix.join(posix.dirname(file), path))
    const address = addressOf(named)
    return address === undefined ? undefined : address + (hash ? `#${hash}` : '')
  }
