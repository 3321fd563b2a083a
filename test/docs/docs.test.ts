import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import server from '../../packages/server/package.json' with { type: 'json' }
import { settingNames } from '../../packages/server/src/common/config.ts'
import { entries } from '../../packages/server/src/docs/contents.ts'
import { type Block, blocksOf, pages } from './blocks.ts'
import { isInstalled, Reader } from './reader.ts'

/** Reasons for not running a block, and how many blocks may have each. */
const reasons: Record<string, number> = {
  'it is what runs this': 1,
  'it makes the package that a test of its own installs': 2,
  'it needs root and systemd': 3,
  'it needs a container engine': 2,
  'it is part of a Deployment': 1,
  'it is part of prometheus.yml': 1,
  'it shows what is written': 1,
}
/** Configuration of other programs. */
const readByOthers = /^MAINLINE_(SERVER|TOKEN|PROFILE|USER|ACCOUNT|URL|BUSINESS|QUERY|DATA)$/

const all = new Map(pages.map((page) => [page, blocksOf(page)]))
const tried = (block: Block) => block.notRun === undefined && block.testedBy === undefined
const runs = ({ language }: Block) => ['sh', 'ts', 'js', 'python'].includes(language)

/** README first, then the pages in the order of the contents; finally those that are not on the site. */
const listed = entries.flatMap(({ source }) => ('file' in source ? [source.file] : []))
const readingOrder = [...new Set(['README.md', ...listed, ...pages])].filter((page) => all.get(page)?.some(tried))

/** One estate for all pages, as for a reader who follows them in order. With `-t` a page is run alone, on a new estate. */
describe('every page works after the pages before it', () => {
  const reader = new Reader()
  beforeAll(() => reader.open({ needsDatabase: true }))
  afterAll(() => reader.close())

  it.each(readingOrder)('%s', async (page) => {
    await reader.turnPage()
    for (const block of all.get(page)?.filter(tried) ?? []) {
      await take(reader, block).catch((error) => {
        throw new Error(`${block.page}:${block.line}: ${error.message}`, { cause: error })
      })
    }
  })
})

it('README lists the pages in the order of the contents', () => {
  const links = readFileSync('README.md', 'utf8').matchAll(/^- \[[^\]]*\]\(([^)#]+)\)/gm)
  const linked = [...links].map(([, file = '']) => file).filter((file) => listed.includes(file))
  expect(linked).toEqual(listed.filter((file) => linked.includes(file)))
  expect(linked).toEqual(expect.arrayContaining(listed.filter((file) => file.startsWith('docs/guides/'))))
})

async function take(reader: Reader, block: Block): Promise<void> {
  reader.write(block)
  if (block.file !== undefined && runs(block)) return
  if (!runs(block)) return readBlock(block)
  if (block.words.includes('serve')) return reader.serve(block.text)
  if (block.words.includes('stopped')) await reader.stop()
  else if (!reader.isServed) await reader.serveHere()
  if (block.words.includes('endless')) return reader.begin(block)
  const needs = block.needs ?? (block.language === 'python' ? 'python3' : undefined)
  if (needs !== undefined && !isInstalled(needs)) {
    process.stderr.write(`skipped: ${needs} is not installed, for ${block.page}:${block.line}\n`)
    return
  }
  if (block.language === 'sh') return compare(await reader.run(block), block.answer)
  const comment = block.language === 'python' ? /^# (.*)$/gm : /^\/\/ (.*)$/gm
  const said = [...block.text.matchAll(comment)].map(([, line]) => line)
  expect(await reader.execute(block)).toBe(said.join('\n'))
}

/** Column widths depend on the content, and addresses differ here. */
const squeezed = (text: string) => text.replace(/ +/g, ' ')

function compare(printed: string, answer: string | undefined): void {
  // A block without expected output must succeed.
  if (answer === undefined) {
    expect(printed).not.toContain('"result":false')
    return
  }
  const parts = squeezed(answer).split('…')
  const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.*?')
  if (!new RegExp(`^${pattern}$`).test(squeezed(printed)))
    throw new Error(`it printed\n${printed}\nand the page says\n${answer}`)
}

/** Blocks that are not run are at least parsed as their language. */
function readBlock({ language, text }: Block): void {
  if (language === 'json') JSON.parse(text)
  else if (language === 'yaml') {
    expect(parseAllDocuments(text).flatMap(({ errors }) => errors)).toEqual([])
  } else if (language === 'ini') {
    for (const line of text.split('\n')) expect(line).toMatch(/^(\[\w+\]|\w+=.*|#.*|)$/)
  } else if (language === 'nginx') {
    for (const line of text.split('\n')) expect(line).toMatch(/^\s*(\w+( +("[^"]*"|[^\s"]+))+;|#.*|)$/)
  } else if (language === 'go') expect(text).toMatch(/^package main$/m)
  else throw new Error(`nothing here knows how to try '${language}'`)
}

describe('blocks that are not run here', () => {
  const left = [...all.values()].flat().filter((block) => !tried(block))

  it('are few, and have one of the accepted reasons', () => {
    const counted: Record<string, number> = {}
    for (const { notRun } of left) if (notRun !== undefined) counted[notRun] = (counted[notRun] ?? 0) + 1
    expect(counted).toEqual(reasons)
  })

  it('are run by the test that they name', () => {
    for (const { testedBy, page } of left) {
      if (testedBy === undefined) continue
      expect(existsSync(testedBy), testedBy).toBe(true)
      expect(readFileSync(testedBy, 'utf8').includes(page), `${testedBy} reads ${page}`).toBe(true)
    }
  })
})

it('npm start, npm run mainline and npx mean what the pages say', () => {
  expect(manifest.scripts.start).toMatch(/--default-env=MAINLINE_DEMO=true .*bin\/mainline\.mjs serve$/)
  expect(manifest.scripts.mainline).toMatch(/bin\/mainline\.mjs$/)
  expect(server).toMatchObject({ name: '@mainline/server', bin: { mainline: 'bin/mainline.mjs' } })
})

it('pages name existing settings only', () => {
  const known = settingNames()
  for (const page of pages) {
    const named = [...readFileSync(page, 'utf8').matchAll(/\bMAINLINE_[A-Z_]+\b/g)].map(([name]) => name)
    expect(
      named.filter((name) => !known.includes(name) && !readByOthers.test(name)),
      page,
    ).toEqual([])
  }
})
