import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DemoConsole, openDemo } from './browser.ts'

let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo.close())

it('shows the API document, and lets it be tried', async () => {
  const { page, complaints } = await demo.visit('/docs')
  await page.locator('#operations-Sets-search_set').waitFor()
  await page.locator('#operations-Sets-search_set').click()
  await page.getByRole('button', { name: 'Try it out' }).click()
  await page.getByRole('button', { name: 'Execute' }).click()
  await page.getByText('"bk_set_name": "storefront"').first().waitFor()
  expect(complaints).toEqual([])
})
