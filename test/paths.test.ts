// Pages, comments and scripts that name a file or folder of this repository: the path must exist.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob } from 'node:path'
import { expect, it } from 'vitest'
import { mutants } from './mutants/mutants.ts'

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file && existsSync(file))
const foldersOf = (file: string) =>
  file
    .split('/')
    .slice(0, -1)
    .map((_, depth, names) => names.slice(0, depth + 1).join('/'))
const entries = [...new Set([...files, ...files.flatMap(foldersOf)])]

/** A path from the root, or the end of one, since pages may abbreviate; `*` stands for any name. */
function isThere(path: string): boolean {
  const named = path.replace(/\/$/, '')
  return named.includes('*')
    ? entries.some((entry) => matchesGlob(entry, named) || matchesGlob(entry, `**/${named}`))
    : entries.some((entry) => entry === named || entry.endsWith(`/${named}`))
}

const fromRoot = /^(?:bench|docs|integrations|packages|packaging|scripts|test)\/[\w.@*/-]*[\w*/]$/
const source = /^[\w.@*-]+(?:\/[\w.@*-]+)*\.(?:[cm]?ts|tsx|sql)$/
const inFolder = /^[\w.@*-]+(?:\/[\w.@*-]+)+\.(?:[cm]?js|md|css|svg|png|json|yml|yaml)$/
const folder = /^[\w-]+\/$/
const namesPath = (word: string) => [fromRoot, source, inFolder].some((form) => form.test(word))

interface Named {
  readonly line: number
  readonly path: string
}

/** In Markdown: inline code, the words of a drawing, and links to files. */
function pathsIn(page: string, text: string): Named[] {
  let fence: string | undefined
  return text.split('\n').flatMap((content, index) => {
    const line = index + 1
    const [, opened] = /^```(.*)$/.exec(content) ?? []
    if (opened !== undefined) {
      fence = fence === undefined ? opened : undefined
      return []
    }
    if (fence === '') {
      const words = content.split(/\s+/).filter((word) => namesPath(word) || folder.test(word))
      return words.map((path) => ({ line, path }))
    }
    if (fence !== undefined) return []
    const code = [...content.matchAll(/`([^`]+)`/g)].flatMap(([, words = '']) => words.split(' '))
    const links = [...content.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target)
    return [
      ...code.filter(namesPath),
      ...links.filter((target) => !target.startsWith('/')).map((target) => join(dirname(page), target)),
    ].map((path) => ({ line, path }))
  })
}

/** In sources: paths from the root in comments, and decisions by number. */
function pathsInComments(text: string): Named[] {
  return text.split('\n').flatMap((content, index) => {
    const [, comment = ''] = /(?:^|\s)(?:\/\/|\/?\*\*?|#|--)\s(.*)$/.exec(content) ?? []
    const words = comment.split(/[\s`'"(),;]+/).map((word) => word.replace(/[.:]+$/, ''))
    return words
      .filter((word) => fromRoot.test(word))
      .map((word) => ({ line: index + 1, path: word.replace(/^(docs\/decisions\/\d{4})$/, '$1-*') }))
  })
}

const broken = (file: string, named: readonly Named[]) =>
  named.filter(({ path }) => !isThere(path)).map(({ line, path }) => `${file}:${line}: ${path}`)
const read = (file: string) => readFileSync(file, 'utf8')

it('every file and folder that a page names exists', () => {
  const pages = files.filter((file) => file.endsWith('.md'))
  expect(pages.length).toBeGreaterThan(40)
  expect(pages.flatMap((page) => broken(page, pathsIn(page, read(page))))).toEqual([])
})

it('every file and folder that a comment names exists', () => {
  const sources = files.filter((file) => /\.([cm]?[jt]s|tsx|sql|css|yaml|yml|service|timer)$|^packaging\//.test(file))
  expect(sources.flatMap((file) => broken(file, pathsInComments(read(file))))).toEqual([])
})

it('every file and folder that a script of package.json names exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const named = Object.values(scripts).flatMap((script) => script.split(' ').filter((word) => fromRoot.test(word)))
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((path) => !isThere(path))).toEqual([])
})

it('every npm script that a page names exists', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
  const pages = files.filter((file) => file.endsWith('.md'))
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/\bnpm run (?:--silent )?([a-z][a-z:-]*[a-z])/g)].map(([, name = '']) => ({ page, name })),
  )
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(({ name }) => !(name in scripts))).toEqual([])
})

it('every planted bug finds its place and its tests', () => {
  const lost = mutants.flatMap(({ name, file, edits, tests }) => [
    ...[file, ...tests].filter((path) => !existsSync(path)).map((path) => `${name}: ${path}`),
    ...edits
      .filter(([text]) => existsSync(file) && read(file).split(text).length !== 2)
      .map(([text]) => `${name}: ${file} does not have once: ${text}`),
  ])
  expect(lost).toEqual([])
})

it('detects a missing one', () => {
  const page =
    'See `packages/server/src/nowhere/`, `gone.ts`, `http/*.ts` and [this](missing.md#part).\n```\nhttp/  lost/\n```\n'
  expect(broken('docs/tour.md', pathsIn('docs/tour.md', page))).toEqual([
    'docs/tour.md:1: packages/server/src/nowhere/',
    'docs/tour.md:1: gone.ts',
    'docs/tour.md:1: docs/missing.md',
    'docs/tour.md:3: lost/',
  ])
  expect(
    broken('a.ts', pathsInComments('const a = 1 // see test/gone.ts.\n/** As docs/decisions/0001 says. */')),
  ).toEqual(['a.ts:1: test/gone.ts'])
})
