import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { entries } from '../../packages/server/src/docs/contents.ts'
import { isFull } from '../../packages/server/src/testing/full.ts'
import { type DemoConsole, isSound, openDemo, picture } from './browser.ts'
import type { PageDocument, PageElement } from './in-page.ts'

declare const document: PageDocument
declare const getComputedStyle: (element: PageElement) => { readonly colorScheme: string }

let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo.close())

it('can be read, searched from the keyboard, and followed to the entry of an error', async () => {
  const visited = await demo.visit('/docs')
  const { page } = visited
  await page.getByRole('heading', { level: 1, name: 'What Mainline is' }).waitFor()
  await isSound(visited)
  await picture(page, 'docs')

  await page.keyboard.press('/')
  await page.keyboard.type('1199014')
  const found = page.getByRole('region', { name: 'Search results' }).getByRole('link')
  await found.first().waitFor()
  expect(await found.first().textContent()).toMatch(/^1199014 duplicate.*A record with this name/)
  await picture(page, 'docs-search')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/errors#1199014')
  const entry = page.locator('[id="1199014"]')
  await expect.poll(async () => (await entry.boundingBox())?.y).toBeLessThan(200)
  await isSound(visited)
  await picture(page, 'docs-errors')

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'The log and events' }).click()
  await page.getByRole('link', { name: /Next/ }).click()
  await page.waitForURL('**/docs/concepts/seals')
  await page.getByRole('button', { name: 'Theme: Auto' }).click()
  await page.getByRole('button', { name: 'Theme: Light' }).click()
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark')
  await isSound(visited)
  await picture(page, 'docs-log')
})

const search = async (page: Page, query: string): Promise<string[]> => {
  const results = page.getByRole('region', { name: 'Search results' })
  await page.getByRole('searchbox').fill(query)
  await expect.poll(async () => (await results.textContent()) ?? '').not.toBe('')
  // The results of the previous query are replaced together.
  await page.waitForFunction((typed) => document.querySelector('#results')?.dataset.query === typed, query)
  return results.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
}

it('finds synonyms and misspelt words, and reports an empty result', async () => {
  const { page, complaints } = await demo.visit('/docs')
  const cases: [query: string, address: RegExp][] = [
    ['CORS', /./],
    ['upgrade', /^\/docs\/guides\/operate#upgrading$/],
    ['backup', /^\/docs\/guides\/operate#backup-and-restore$/],
    ['bacup', /^\/docs\/guides\/operate#backup-and-restore$/],
    ['api key', /^\/docs\/guides\/identities#tokens-api-keys$/],
    ['how to restore a backup', /^\/docs\/guides\/operate#backup-and-restore$/],
    ['nginx', /^\/docs\/guides\/reverse-proxy#/],
    ['webhook', /^\/docs\/(guides\/events|client)#/],
    ['rate limit', /^\/docs\/guides\/operate#limits-and-overload$/],
    ['create_set', /^\/docs\/api\/sets#create_set$/],
    ['priviliges', /privileges/],
  ]
  for (const [query, address] of cases) expect((await search(page, query))[0], query).toMatch(address)
  await page.getByText('Results for “privileges”').waitFor()
  expect(await search(page, 'xylophone')).toEqual([])
  await page.getByText('No results for “xylophone”.').waitFor()
  expect(complaints).toEqual([])
})

const phone = { viewport: { width: 375, height: 700 } }

it('is readable on a phone: the text comes first, and the list of pages is behind a button', async () => {
  const visited = await demo.visit('/docs/guides/operate', phone)
  const { page } = visited
  const heading = page.getByRole('heading', { level: 1 })
  expect((await heading.boundingBox())?.y).toBeLessThan(200)
  const pages = page.getByRole('navigation', { name: 'Pages' })
  expect(await pages.isVisible()).toBe(false)
  await isSound(visited)
  await page.getByRole('button', { name: 'Pages' }).click()
  await pages.getByRole('link', { name: 'Operating it' }).waitFor()
  await expect
    .poll(() => pages.getByRole('link', { name: 'Operating it' }).evaluate((link) => link.matches(':popover-open *')))
    .toBe(true)
  await isSound(visited)
  await page.keyboard.press('Escape')
  await expect.poll(() => pages.isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Pages' }).click()
  await pages.getByRole('link', { name: 'Reverse proxy' }).click()
  await page.waitForURL('**/docs/guides/reverse-proxy')
  expect(await search(page, 'upgrade')).not.toEqual([])
})

it('no page is wider than the screen', async () => {
  const { page } = await demo.visit('/docs', phone)
  for (const { path } of entries.filter((_, nth) => isFull || nth % 3 === 0)) {
    await page.goto(`${demo.url}/docs/${path}`)
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(375)
  }
})

it('answers an unknown address with a page that has a search, similar pages, and sections with its words', async () => {
  const visited = await demo.visit('/docs/guides/instal')
  const { page } = visited
  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Installing', exact: true }).waitFor()
  await isSound(visited)
  await page.goto(`${demo.url}/docs/guides/backup`)
  await page
    .getByRole('main')
    .getByRole('link', { name: /Backup and restore/ })
    .first()
    .click()
  await page.waitForURL('**/docs/guides/operate#backup-and-restore')
  const bare = await fetch(`${demo.url}/docs/api/try/nosuch`)
  expect([bare.status, bare.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
})

it('provides a page to try the API, with our name and a link back', async () => {
  const { page, complaints } = await demo.visit('/docs/api/try')
  expect(await page.title()).toBe('Try the API · Mainline')
  // Of a document with more than a hundred paths only the operations in view are rendered.
  await page.locator('#operations-Businesses-create_business').waitFor()
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 400)
      return page.locator('#operations-Sets-search_set').count()
    })
    .toBe(1)
  expect(await page.locator('.topbar').count()).toBe(0)
  await page.locator('#operations-Sets-search_set').click()
  await page.getByRole('button', { name: 'Try it out' }).click()
  await page.getByRole('button', { name: 'Execute' }).click()
  await page.getByText('"bk_set_name": "storefront"').first().waitFor()
  await page.getByRole('main').getByRole('link', { name: 'The reference' }).click()
  await page.getByRole('heading', { level: 1, name: 'The interface' }).waitFor()
  expect(complaints).toEqual([])
})
