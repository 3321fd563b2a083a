import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { listProblems } from '@mainline/contract'
import Type from 'typebox'
import { Check } from 'typebox/value'
import { expect, it } from 'vitest'
import { endpoints } from '../../packages/server/src/commands/openapi.ts'
import { entries } from '../../packages/server/src/docs/contents.ts'
import { curlOf } from '../../packages/server/src/docs/reference/examples.ts'
import { openSite, sourceOf } from '../../packages/server/src/docs/site.ts'
import { type Block, blocksIn, blocksOf, pages } from './blocks.ts'
import { Reader } from './reader.ts'

const site = openSite(endpoints)
const textOf = (path: string) => site.find(path)?.bytes.toString() ?? ''
const made = entries.filter(({ source }) => !('file' in source))

it('the examples of all operations are valid by the schemas that the server checks requests with', () => {
  for (const endpoint of endpoints) {
    const { name, params, body, example } = endpoint
    expect(Check(Type.Object(params), example?.params ?? {}), `${name}: params`).toBe(true)
    if (endpoint.hasBody) expect(Check(body, example?.body ?? {}), `${name}: body`).toBe(true)
    expect(Object.keys(endpoint.query ?? {}), name).toEqual(expect.arrayContaining(Object.keys(example?.query ?? {})))
  }
})

it('the commands of the reference succeed in order on a fresh demo estate', async () => {
  const reader = new Reader()
  try {
    await reader.open({ needsDatabase: false })
    await reader.serveHere()
    const finite = endpoints.filter(({ streams }) => streams !== 'text/event-stream')
    const told: string[] = []
    for (const endpoint of finite) {
      const printed = await reader.run({ text: `${curlOf(endpoint)} | head -c 300` })
      if (printed.includes('"result":false')) told.push(`${endpoint.name}: ${printed}`)
    }
    expect(told).toEqual([])
  } finally {
    await reader.close()
  }
})

it('all TypeScript of the pages and of the reference compiles', async () => {
  const home = mkdtempSync(join(tmpdir(), 'mainline-typed-'))
  const isTyped = ({ language }: Block) => language === 'ts'
  const written = pages.flatMap((page) => blocksOf(page).filter(isTyped))
  const generated = made.flatMap((entry) => blocksIn(sourceOf(entry, endpoints), entry.path).filter(isTyped))
  expect(generated.length).toBeGreaterThanOrEqual(endpoints.length)
  const client = `import { createClient } from '@mainline/client'\nexport const client = createClient({ url: '' })\n`
  writeFileSync(join(home, 'client.ts'), client)
  for (const { text, page, line } of [...written, ...generated]) {
    const given =
      /\bcreateClient\(/.test(text) || !/\bclient\./.test(text) ? '' : `import { client } from './client.ts'\n`
    // Examples do not use their results.
    writeFileSync(join(home, `${page.replaceAll('/', '-')}-${line}.ts`), `${given}${text}\nexport {}\n`)
  }
  const source = (name: string) => [resolve(`packages/${name}.ts`)]
  const compilerOptions = {
    noUnusedLocals: false,
    noUncheckedSideEffectImports: false,
    paths: {
      '@mainline/client': source('client/src/index'),
      '@mainline/client/contract': source('client/src/contract'),
      '@mainline/contract': source('contract/src/index'),
    },
    typeRoots: [resolve('node_modules/@types')],
  }
  const config = { extends: resolve('tsconfig.json'), compilerOptions, include: [`${home}/*.ts`] }
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(join(home, 'package.json'), '{"type":"module"}')
  const checked = await promisify(execFile)('node_modules/.bin/tsc', ['-p', home]).catch((error) => error)
  rmSync(home, { recursive: true, force: true })
  expect(checked.stdout).toBe('')
})

it('the contents list exactly the pages that exist', () => {
  const listed = entries.flatMap(({ source }) => ('file' in source ? [source.file] : []))
  const written = globSync('docs/**/*.md')
  expect(written.filter((file) => !listed.includes(file))).toEqual([])
  for (const { path } of entries) expect(textOf(path), path).toMatch(/<h1 id=/)
})

it('no link is broken', () => {
  const served = new Set(['/', '/openapi.json', '/asyncapi.json', '/docs/api/try', '/icon.svg'])
  const broken = entries.flatMap(({ path }) => {
    const links = [...textOf(path).matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link = '']) => link)
    return links.filter((link) => !leads(link, path, served)).map((link) => `${path}: ${link}`)
  })
  expect(broken).toEqual([])
})

function leads(link: string, from: string, served: ReadonlySet<string>): boolean {
  if (/^https?:/.test(link)) return true
  const [address = '', hash] = link.split('#')
  if (served.has(address)) return true
  const page = address === '' ? from : address.replace(/^\/docs\/?/, '')
  return (
    (address === '' || address.startsWith('/docs')) &&
    (hash ? textOf(page).includes(`id="${hash}"`) : textOf(page) !== '')
  )
}

it('every error of the contract can be found by its code', () => {
  const index: [address: string, page: string, title: string, text: string][] = JSON.parse(textOf('search.json'))
  for (const { code, kind, en } of listProblems()) {
    const found = index.find(([, , title]) => title === `${code} ${kind}`)
    expect(found?.[0], kind).toMatch(/^\/docs\/errors#/)
    expect(found?.[3].replaceAll('`', ''), kind).toContain(en.replaceAll("'", "'"))
  }
  for (const { name } of endpoints)
    expect(
      index.some(([, , title]) => title === name),
      name,
    ).toBe(true)
})
