// Chinese texts contain no English except identifiers and the names of formats and programs.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const catalogue = join(root, 'packages/contract/src/problems.ts')

const names = new Set(
  `JSON XML CPU API HTTP HTTPS URL IP IPv4 IPv6 ID TLS UTF-8 GBK CSV NUL RE2 curl base64 Content-Encoding Content-Type Host chunked application/json
   Authorization Bearer BK_User FILE Asia/Shanghai`.split(/\s+/),
)
/** Words of the API: fields, values, paths. */
const isIdentifier = (word: string) => names.has(word) || /[_$:/.-]/.test(word) || identifiers.has(word)
const identifiers = new Set(
  'biz object option condition min max page sort after before changed id customquery whsec operator login true H http https json data-binary token xlsx skip force from to position'.split(
    ' ',
  ),
)

/** A duration back, and a placeholder in the form of a value. */
const forms = /\{\w+\}|-\d+[smhdw]\b|<n>/g
const wordsIn = (text: string) => text.replace(forms, ' ').match(/[A-Za-z][\w$:/.-]*\w|[A-Za-z]/g) ?? []
const isChinese = (text: string) => /\p{Script=Han}/u.test(text)

const sources = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !/\.test\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))

/** Strings of a source, without their quotes. */
const stringsOf = (source: string) =>
  [...source.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"/g)].map(
    ([, single, double]) => single ?? double ?? '',
  )

describe('the catalogue', () => {
  const texts = stringsOf(readFileSync(catalogue, 'utf8')).filter(isChinese)

  it('has Chinese texts', () => {
    expect(texts.length).toBeGreaterThan(200)
  })

  it('has no English words in its Chinese texts', () => {
    const found = texts.flatMap((text) =>
      wordsIn(text)
        .filter((word) => !isIdentifier(word))
        .map((word) => `${word}: ${text}`),
    )
    expect(found).toEqual([])
  })
})

it('no English phrase and no message of a library is inserted into a translated error', () => {
  const phrases: string[] = []
  let calls = 0
  for (const file of sources(join(root, 'packages/server/src'))) {
    if (/\/(testing|commands)\//.test(file)) continue
    const source = readFileSync(file, 'utf8')
    for (const [call, details = ''] of source.matchAll(
      /\b(?:problem|rule)\(\s*'\w+',\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}/g,
    )) {
      calls++
      const where = `${file.slice(root.length)}: ${call}`
      if (/\.message\b/.test(details)) phrases.push(where)
      const templates = [...details.matchAll(/`([^`]*)`/g)].map(([, text = '']) => text.replace(/\$\{[^}]*\}/g, ' '))
      // A list of words of the API is no phrase: 'true, false', '$eq $ne'.
      if ([...stringsOf(details), ...templates].some((text) => /[A-Za-z]{2,} [A-Za-z]{2,}/.test(text)))
        phrases.push(where)
    }
  }
  expect(calls).toBeGreaterThan(150)
  expect(phrases).toEqual([])
})
