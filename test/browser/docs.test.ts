import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DemoConsole, isSound, openDemo, picture } from './browser.ts'

let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo.close())

it('is read, searched from the keyboard, and followed to an error’s entry', async () => {
  const visited = await demo.visit('/docs')
  const { page } = visited
  await page.getByRole('heading', { level: 1, name: 'What Mainline is' }).waitFor()
  await isSound(visited)
  await picture(page, 'docs')

  await page.keyboard.press('/')
  await page.keyboard.type('1199014')
  const found = page.getByRole('region', { name: 'Search results' }).getByRole('link')
  await found.first().waitFor()
  expect(await found.first().textContent()).toMatch(/^1199014 duplicate.*Something of this name/)
  await picture(page, 'docs-search')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/errors#1199014')
  const entry = page.locator('[id="1199014"]')
  await expect.poll(async () => (await entry.boundingBox())?.y).toBeLessThan(200)
  await isSound(visited)
  await picture(page, 'docs-errors')

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Where hosts stand' }).click()
  await page.getByRole('link', { name: /Next/ }).click()
  await page.waitForURL('**/docs/concepts/log')
  await page.getByRole('button', { name: 'Theme: Auto' }).click()
  await page.getByRole('button', { name: 'Theme: Light' }).click()
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark')
  await isSound(visited)
  await picture(page, 'docs-log')
})

it('says so where there is nothing, with the way to everything else', async () => {
  const { page } = await demo.visit('/docs/nosuch')
  await page.getByRole('heading', { name: 'Nothing is here' }).waitFor()
  await page.getByRole('link', { name: 'Errors' }).waitFor()
})

it('lets the API be tried', async () => {
  const { page, complaints } = await demo.visit('/docs/api/try')
  await page.locator('#operations-Sets-search_set').waitFor()
  await page.locator('#operations-Sets-search_set').click()
  await page.getByRole('button', { name: 'Try it out' }).click()
  await page.getByRole('button', { name: 'Execute' }).click()
  await page.getByText('"bk_set_name": "storefront"').first().waitFor()
  expect(complaints).toEqual([])
})
