import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeStore, startServer, type TestServer, type TestStore } from '../../packages/server/src/testing/harness.ts'
import { type ServerProcess, spawnServer } from '../../packages/server/src/testing/process.ts'
import { launchBrowser } from './browser.ts'

let browser: Browser
let store: TestStore
let demo: ServerProcess
let empty: TestServer
beforeAll(async () => {
  store = await makeStore('sqlite')
  ;[browser, demo, empty] = await Promise.all([launchBrowser(), spawnServer(store, ['--demo']), startServer('sqlite')])
})
afterAll(async () => {
  await Promise.all([browser.close(), demo.end('SIGTERM'), empty.close()])
  store.remove()
})

/** A page, and everything its console complained about. */
async function open(url: string, options: BrowserContextOptions = {}) {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })).newPage()
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(url)
  return { page, complaints }
}

it('shows the businesses of the demo estate', async () => {
  const { page, complaints } = await open(demo.url)
  await page.getByRole('cell', { name: 'Web shop' }).waitFor()
  expect(await page.getByRole('row').count()).toBe(6)
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/console.png` })
  expect(complaints).toEqual([])
})

it('speaks Chinese to a Chinese browser, in the dark if asked', async () => {
  const { page, complaints } = await open(demo.url, { locale: 'zh-CN', colorScheme: 'dark' })
  await page.getByRole('heading', { name: '业务' }).waitFor()
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/console-zh-dark.png` })
  expect(complaints).toEqual([])
})

it('says what to do on an empty estate', async () => {
  const { page, complaints } = await open(empty.url)
  await page.getByText('There is no business yet').waitFor()
  expect(complaints).toEqual([])
})

it('shows the API document, and lets it be tried', async () => {
  const { page, complaints } = await open(`${demo.url}/docs`)
  await page.locator('#operations-Sets-search_set').waitFor()
  await page.locator('#operations-Sets-search_set').click()
  await page.getByRole('button', { name: 'Try it out' }).click()
  await page.getByRole('button', { name: 'Execute' }).click()
  await page.getByText('"bk_set_name": "storefront"').first().waitFor()
  expect(complaints).toEqual([])
})
