import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { chinese, type DemoConsole, isSound, openDemo, picture } from './browser.ts'

let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo.close())

it('lists the businesses, finds one, and goes to its tree and back', async () => {
  const seen = await demo.visit('/')
  const { page } = seen
  await page.getByRole('link', { name: 'Web shop' }).waitFor()
  expect(await page.getByRole('row').count()).toBe(6)
  await isSound(seen)
  await picture(page, 'overview')

  await page.getByRole('searchbox', { name: 'Find by name' }).fill('pay')
  await page.getByRole('link', { name: 'Web shop' }).waitFor({ state: 'detached' })
  expect(new URL(page.url()).search).toBe('?find=pay')
  await page.getByRole('link', { name: 'Payments' }).click()
  await page.getByRole('tree').waitFor()
  await page.goBack()
  await expect.poll(() => page.getByRole('searchbox', { name: 'Find by name' }).inputValue()).toBe('pay')
})

it('names the window after the page, also where that is known only later', async () => {
  const { page } = await demo.visit('/')
  const isCalled = (title: string) => expect.poll(() => page.title()).toBe(`${title} · Mainline`)
  await isCalled('Overview')
  for (const name of ['Hosts', 'Audit', 'Model']) {
    await page.getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    expect(await page.title()).toBe(`${name} · Mainline`)
  }
  await page.getByRole('link', { name: 'Hosts', exact: true }).click()
  await page.getByRole('link', { name: '10.0.0.1', exact: true }).click()
  await isCalled('10.0.0.1')
  await page.goBack()
  await isCalled('Hosts')
  await page.goto(`${demo.url}/topology/2`)
  await isCalled('Web shop Topology')
  await page.goto(`${demo.url}/hosts/999999`)
  await isCalled('There is no such host')
  await page.goto(`${demo.url}/nowhere`)
  await isCalled('There is no such page')
})

it('changes the business by a few letters', async () => {
  const { page } = await demo.visit('/topology/2')
  await page.getByRole('button', { name: 'Business: Web shop' }).click()
  await page.getByRole('combobox', { name: 'Find a business' }).fill('logi')
  await page.getByRole('option', { name: 'Logistics' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('treeitem', { name: 'Logistics' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/topology/4')
})

it('goes anywhere from the keyboard', async () => {
  const seen = await demo.visit('/topology/2')
  const { page } = seen
  await page.getByRole('tree').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Go to' }).fill('check')
  await page.getByRole('option', { name: 'checkout Europe / Amsterdam' }).waitFor()
  await isSound(seen)
  await picture(page, 'palette')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'checkout' }).waitFor()
  expect(new URL(page.url()).search).toMatch(/^\?node=set-\d+$/)

  const body = JSON.stringify({ bk_biz_id: 3, name: 'ledger hosts', info: '{"condition":[]}' })
  await fetch(`${demo.url}/api/v3/userapi`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Go to' }).fill('LEDGER')
  await page.getByRole('option', { name: 'ledger hosts Payments' }).click()
  await expect.poll(() => page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('ledger hosts')
  expect(new URL(page.url()).pathname).toBe('/queries/3')

  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Go to' }).fill('audit')
  await page.getByRole('option', { name: 'Audit' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Audit' }).waitFor()
})

it('speaks Chinese to a Chinese browser, in the dark if asked, and remembers what is chosen', async () => {
  const seen = await demo.visit('/', chinese)
  const { page } = seen
  await page.getByRole('heading', { name: '总览' }).waitFor()
  await page.getByRole('columnheader', { name: '运维人员' }).waitFor()
  await isSound(seen)
  await picture(page, 'overview-zh')

  await page.getByRole('button', { name: '账户与显示' }).click()
  await page.getByRole('menuitemradio', { name: 'English' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.getByRole('button', { name: 'Account and display' }).click()
  await page.getByRole('menuitemradio', { name: 'Light' }).click()
  await page.reload()
  await page.getByRole('columnheader', { name: 'Maintainers' }).waitFor()
  expect(await page.locator('html').getAttribute('data-theme')).toBe('light')
})

it('says in the words of the server why a business cannot be created, and has an archived one back', async () => {
  const seen = await demo.visit('/')
  const { page } = seen
  await page.getByRole('button', { name: 'Create business', exact: true }).click()
  await page.getByRole('textbox', { name: 'Business name' }).fill('Logistics')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('alert').getByText('duplicated instances exist, bk_biz_name duplicated').waitFor()
  await page
    .getByRole('alert')
    .getByText(/Request [0-9a-v]{20}/)
    .waitFor()
  await isSound(seen)
  await page.getByRole('textbox', { name: 'Business name' }).fill('Shop')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('treeitem', { name: 'Shop' }).waitFor()

  // Archived it is in no list any more, and can be had back.
  await page.getByRole('button', { name: 'Archive' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Archive' }).click()
  await page.getByRole('link', { name: 'Web shop' }).waitFor()
  await page.getByRole('link', { name: 'Shop', exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Business: / }).click()
  await page.getByRole('link', { name: 'Archived businesses' }).click()
  await page.getByRole('rowheader', { name: 'Shop' }).waitFor()
  await isSound(seen)
  await picture(page, 'archived')
  await page.getByRole('searchbox', { name: 'Find by name' }).fill('mall')
  await page.getByRole('heading', { name: 'No archived business is called that' }).waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByRole('button', { name: 'Recover' }).click()
  await page.getByRole('treeitem', { name: 'Shop' }).waitFor()
  await page.goto(`${demo.url}/archived`)
  await page.getByRole('heading', { name: 'No business is archived' }).waitFor()
  expect(seen.complaints).toEqual([])
})

it('goes on while the names of businesses are still coming', async () => {
  const seen = await demo.visit('/')
  const { page } = seen
  await page.getByText('create business').first().waitFor()
  // What has changed is known before what the businesses are called that it is about.
  await page.route('**/biz/search/**', async (route) => {
    await sleep(1_000)
    await route.continue()
  })
  await page.getByRole('button', { name: 'Create business', exact: true }).click()
  await page.getByRole('textbox', { name: 'Business name' }).fill('Newest')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('treeitem', { name: 'Newest' }).waitFor()
  expect(seen.complaints).toEqual([])
})

it('lets nobody send a form that has not come yet, and shows in a list that is open what comes', async () => {
  const { page } = await demo.visit('/')
  const held = Promise.withResolvers<void>()
  await page.route(/attr\/search|classification/, async (route) => {
    await held.promise
    await route.continue()
  })
  await page.reload()
  await page.getByRole('button', { name: 'Create business', exact: true }).click()
  const create = page.getByRole('button', { name: 'Create', exact: true })
  expect(await create.getAttribute('aria-disabled')).toBe('true')
  await page.keyboard.press('Escape')
  await page.goto(`${demo.url}/model`)
  await page.getByRole('button', { name: 'New object' }).click()
  await page.getByRole('button', { name: /Classification/ }).click()
  await page.getByText('There is nothing to choose from yet.').waitFor()
  held.resolve()
  await page.getByRole('option', { name: 'Network' }).click()
})

it('has on no page anything to complain about, asks nobody else, and runs no script but its own', async () => {
  const router = readFileSync('packages/console/src/router.tsx', 'utf8')
  const pages = [...router.matchAll(/ path: '(.+)'/g)].map(([, path = '']) =>
    path.replace('$business', '2').replace(/\$\w+/g, '1'),
  )
  expect(pages.length).toBeGreaterThan(7)
  // In Chinese and in the dark: the tests of the pages look at them in English and in the light.
  const seen = await demo.visit('/', chinese)
  const { page } = seen
  await page.locator('main').waitFor()
  for (const path of pages) {
    const answer = await page.goto(demo.url + path)
    const policy = answer?.headers()['content-security-policy'] ?? ''
    expect(/script-src ([^;]*)/.exec(policy)?.[1] ?? /default-src ([^;]*)/.exec(policy)?.[1], path).toBe("'self'")
    await page.locator('main').waitFor()
    await expect.poll(() => page.locator('.skeleton').count(), { message: path }).toBe(0)
    expect(await page.locator('main').count(), path).toBe(1)
    await isSound(seen)
  }
})

it('says that an address leads nowhere, and that the server is gone', async () => {
  const seen = await demo.visit('/nowhere/at/all')
  await seen.page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  await seen.page.route('**/api/v3/**', (route) => route.abort())
  await seen.page.getByRole('link', { name: 'To the overview' }).click()
  await seen.page.getByRole('alert').getByText('The server cannot be reached.').first().waitFor()
  await seen.page.unroute('**/api/v3/**')
  await seen.page.getByRole('button', { name: 'Try again' }).first().click()
  await seen.page.getByRole('link', { name: 'Web shop' }).waitFor()
})

it('goes on with the new console when the server was upgraded under it, and says when a page does not come at all', async () => {
  const { page } = await demo.visit('/')
  await page.getByRole('link', { name: 'Web shop' }).waitFor()
  const anew = page.waitForRequest((request) => request.isNavigationRequest())
  let isOld = true
  void anew.then(() => {
    isOld = false
  })
  await page.route('**/assets/Audit-*.js', (route) => (isOld ? route.fulfill({ status: 404 }) : route.continue()))
  await page.getByRole('link', { name: 'Audit' }).click()
  await anew
  await page.getByRole('heading', { name: 'Audit' }).waitFor()

  await page.route('**/assets/Model-*.js', (route) => route.abort())
  await page.getByRole('link', { name: 'Model' }).click()
  await page.getByRole('heading', { name: 'This page has not come.' }).waitFor()
  await page.unroute('**/assets/Model-*.js')
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('region', { name: 'The main line' }).waitFor()
})

it('is at most 300 kB of script for the first page', async () => {
  const { page } = await demo.visit('/')
  await page.getByRole('link', { name: 'Web shop' }).waitFor()
  const sizes = await page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter((each) => each.name.endsWith('.js'))
      .map((each) => each.encodedBodySize),
  )
  expect(sizes.length).toBeGreaterThan(1)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(300_000)
})
