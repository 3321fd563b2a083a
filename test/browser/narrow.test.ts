// Phones, and 400 % zoom on a laptop: no page scrolls sideways, and no control is cut off (WCAG 1.4.10).
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DemoConsole, isSound, openDemo, picture } from './browser.ts'
import type { ComputedStyleOf, PageDocument, PageElement } from './in-page.ts'

declare const document: PageDocument
declare const getComputedStyle: ComputedStyleOf

let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo.close())

const pages: [path: string, heading: string][] = [
  ['/', 'First steps'],
  ['/topology/2?node=set-3', 'storefront'],
  ['/topology/2?tab=attributes', 'Web shop'],
  ['/hosts', 'Hosts'],
  ['/hosts/2', '10.0.0.2'],
  ['/events', 'No subscriptions yet'],
  ['/events/new', 'New subscription'],
  ['/audit', 'Audit'],
  ['/instances/plat', 'Cloud area'],
  ['/instances/bk_switch/20?tab=impact', 'core-1'],
  ['/privileges', 'Privileges'],
  ['/privileges?tab=groups', 'Privileges'],
  ['/queries/2?draft=1', 'Conditions'],
  ['/model', 'Model'],
  ['/archived', 'No archived businesses'],
]

/** By how many pixels the page, or a control of it, exceeds the available width. Elements with their own scrolling may be wider. */
const overflows = (page: Page) =>
  page.evaluate(() => {
    const found: string[] = []
    const room = document.documentElement.clientWidth
    for (const box of [document.documentElement, ...document.querySelectorAll('main')]) {
      const excess = box.scrollWidth - box.clientWidth
      if (excess > 0) found.push(`${box.tagName} is ${excess} px too wide`)
    }
    const scrolls = (element: PageElement | null): boolean =>
      element !== null &&
      element.tagName !== 'MAIN' &&
      (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement))
    for (const control of document.querySelectorAll('main :is(button, a, input, select, textarea, h1, h2)')) {
      const { left, right, width, height } = control.getBoundingClientRect()
      if (width <= 1 || height === 0 || scrolls(control) || control.closest('[aria-hidden=true]')) continue
      if (left < 0 || right > room) found.push(`${control.outerHTML.slice(0, 80)} ends at ${right}`)
    }
    return found
  })

it.each([320, 768])('shows every page without scrolling sideways at %d px', async (width) => {
  const seen = await demo.visit('/', { viewport: { width, height: 844 } })
  const { page } = seen
  for (const [path, heading] of pages) {
    await page.goto(demo.url + path)
    await page.getByRole('heading', { name: heading }).first().waitFor()
    await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
    expect([path, await overflows(page)]).toEqual([path, []])
  }
  expect(seen.complaints).toEqual([])
})

it('opens the navigation from a button, in place of the page, and closes it when a page was chosen', async () => {
  const seen = await demo.visit('/', { viewport: { width: 390, height: 844 } })
  const { page } = seen
  const menu = page.getByRole('button', { name: 'Navigation' })
  const hosts = page.getByRole('link', { name: 'Hosts', exact: true })
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  expect(await hosts.isVisible()).toBe(false)
  await menu.click()
  await hosts.waitFor()
  expect(await menu.getAttribute('aria-expanded')).toBe('true')
  expect(await page.getByRole('heading', { name: 'Overview' }).isVisible()).toBe(false)
  await isSound(seen)
  await page.keyboard.press('Escape')
  await hosts.waitFor({ state: 'hidden' })
  await menu.click()
  await hosts.click()
  await page.getByRole('heading', { name: 'Hosts' }).waitFor()
  expect(await hosts.isVisible()).toBe(false)
  await menu.click()
  await page.getByRole('button', { name: 'Go to' }).click()
  await page.getByRole('combobox', { name: 'Go to' }).fill('audit')
  await page.getByRole('option', { name: 'Audit', exact: true }).click()
  await page.getByRole('heading', { name: 'Audit' }).waitFor()
  await picture(page, 'audit-from-menu')
})
