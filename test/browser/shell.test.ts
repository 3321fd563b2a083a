import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isFull } from '../../packages/server/src/testing/full.ts'
import { chinese, type DemoConsole, isSound, openDemo, picture } from './browser.ts'

let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo.close())

it('lists the businesses, finds one, and opens its tree and returns', async () => {
  const seen = await demo.visit('/')
  const { page } = seen
  await page.getByRole('link', { name: 'Web shop', exact: true }).waitFor()
  expect(await page.getByRole('row').count()).toBe(6)
  await isSound(seen)
  await picture(page, 'overview')

  await page.getByRole('searchbox', { name: 'Find by name' }).fill('pay')
  await page.getByRole('link', { name: 'Web shop', exact: true }).waitFor({ state: 'detached' })
  expect(new URL(page.url()).search).toBe('?find=pay')
  await page.getByRole('link', { name: 'Payments' }).click()
  await page.getByRole('tree').waitFor()
  await page.goBack()
  await expect.poll(() => page.getByRole('searchbox', { name: 'Find by name' }).inputValue()).toBe('pay')
})

it('names hosts in fault modules on the overview, and what it could not check', async () => {
  const { page } = await demo.visit('/', { extraHTTPHeaders: { BK_User: 'mallory' } })
  await page.getByText('2 hosts are in the fault module').waitFor()
  await page.getByText(/^Not checked, because you may not see it: .*subscriptions/).waitFor()
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByRole('navigation', { name: 'Navigation' }).isVisible()).toBe(false)
})

it('welcomes a new user, and offers a tour until it was skipped', async () => {
  const seen = await demo.visit('/')
  const { page } = seen
  const welcome = page.getByRole('region', { name: 'Welcome to Mainline' })
  await welcome.getByText(/^Mainline keeps which business/).waitFor()
  await welcome.getByText(/^Identity is open: /).waitFor()
  await isSound(seen)
  await picture(page, 'welcome')
  await welcome.getByRole('button', { name: 'Take the tour' }).click()
  const tour = page.getByRole('dialog', { name: 'Tour' })
  await tour.getByText('Step 1 of 5').waitFor()
  await tour.getByRole('button', { name: 'Next' }).click()
  await tour.getByRole('heading', { name: 'A business is a tree' }).waitFor()
  expect(await page.locator('html').getAttribute('data-tour')).toBe('tree')
  await isSound(seen)
  await picture(page, 'tour')
  await tour.getByRole('button', { name: 'Skip' }).click()
  await welcome.waitFor({ state: 'detached' })
  expect(await tour.count()).toBe(0)

  // Nor in another browser.
  const isKept = async () => (await ownSettings()).data.console?.toured
  await expect.poll(isKept).toBe(true)
  await page.evaluate(() => localStorage.clear())
  await page.reload()
  await page.getByRole('link', { name: 'Web shop', exact: true }).waitFor()
  expect(await welcome.count()).toBe(0)
  await demo.server.call('POST', '/usercustom', { console: null })
})

const ownSettings = () => demo.server.call<{ console?: { toured?: boolean } }>('POST', '/usercustom/user/search', {})

it('titles the window after the page, also if the title is loaded later', async () => {
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

it('switches the business by a few letters', async () => {
  const { page } = await demo.visit('/topology/2')
  await page.getByRole('button', { name: 'Business: Web shop' }).click()
  await page.getByRole('combobox', { name: 'Find a business' }).fill('logi')
  await page.getByRole('option', { name: 'Logistics' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('treeitem', { name: 'Logistics' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/topology/4')
})

it('is fully usable from the keyboard', async () => {
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
  await page.getByRole('option', { name: 'Audit', exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Audit' }).waitFor()
})

/** The paths of the requests that the page sends to the interface. */
function noteRequests(page: Page): string[] {
  const paths: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/')) paths.push(pathname.replace('/api/v3', ''))
  })
  return paths
}

it('sends few requests for text typed without a pause, and shows that it is searching', async () => {
  const { page } = await demo.visit('/topology/2')
  await page.getByRole('tree').waitFor()
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Go to' })
  await page.getByRole('option', { name: 'Logistics' }).waitFor()
  await page.route('**/hosts/search', async (route) => {
    await sleep(300)
    await route.continue()
  })
  const sent = noteRequests(page)
  // On a busy machine there may be a pause between two keys: the clock of the page is stopped while they are pressed.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await field.pressSequentially('no-such', { delay: 10 })
  await page.clock.runFor(100)
  await field.pressSequentially('-na', { delay: 10 })
  await page.clock.runFor(100)
  expect(sent).toEqual([])
  await page.clock.resume()
  await page.getByText('Searching …').waitFor()
  await page.getByText('Nothing found').waitFor()
  const perText = ['/hosts/search', '/hosts/search', '/hosts/search', '/topo/node/search/0']
  const onceRead = [
    '/event/subscribe/search/0/0',
    '/object/attr/search',
    '/object/classification/0/objects',
    '/topo/privilege/group/0/search',
    '/userapi/find/0',
  ]
  expect(sent.toSorted()).toEqual([...perText, ...onceRead].toSorted())
  sent.length = 0
  await field.pressSequentially('me')
  await page.getByText('Searching …').waitFor()
  await page.getByText('Nothing found').waitFor()
  expect(sent.toSorted()).toEqual(perText)
  await page.close()
})

it('finds every identifier, best match first', async () => {
  await demo.server.call('POST', '/topo/privilege/group/0', { group_name: 'Night shift', user_list: 'nadia' })
  const fields = ['bk_host_name', 'bk_asset_id', 'bk_sn']
  const condition = [{ field: 'bk_host_innerip', operator: '$eq', value: '10.0.0.2' }]
  const { data } = await demo.server.call<{ info: { host: Record<string, string> }[] }>('POST', '/hosts/search', {
    condition: [{ bk_obj_id: 'host', fields, condition }],
  })
  const [{ bk_host_name = '', bk_asset_id = '', bk_sn = '' } = {}] = data.info.map(({ host }) => host)
  const { page } = await demo.visit('/topology/2')
  await page.getByRole('tree').waitFor()
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Go to' })
  const found: [typed: string, option: RegExp][] = [
    ['10.0.0.2', /^10\.0\.0\.2 /],
    [bk_host_name.toUpperCase(), /^10\.0\.0\.2 /],
    [bk_asset_id.toLowerCase(), /^10\.0\.0\.2 .* · ML/],
    [bk_sn, /^10\.0\.0\.2 .* · SN/],
    ['carla', /^carla what this user may do$/],
    ['nadia', /^nadia /],
    ['night sh', /^Night shift group$/],
    ['serial', /^Serial number Host · bk_sn$/],
    ['bk_sn', /^Serial number Host · bk_sn$/],
    ['payments', /^Payments /],
    ['rows per', /^Preferences/],
    ['lisbon', /^Time zone Europe\/Lisbon$/],
  ]
  for (const [typed, option] of found) {
    await field.fill(typed)
    await page.getByRole('option', { name: option, selected: true }).waitFor()
  }
  await field.fill('10.0.0.')
  await page.getByRole('option', { name: /^All \d+ hosts that match$/ }).click()
  await page.getByRole('link', { name: '10.0.0.9', exact: true }).waitFor()
  expect(new URL(page.url()).search).toBe('?q=10.0.0.')

  // Enter waits for what is still searched for.
  await page.keyboard.press('Control+k')
  await field.fill(bk_sn.slice(0, 4))
  await field.fill(bk_sn)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: '10.0.0.2' }).waitFor()
})

it('does what is asked for in words, in either language, and says whom to ask for a missing privilege', async () => {
  const seen = await demo.visit('/topology/2')
  const { page } = seen
  await page.getByRole('tree').waitFor()
  const field = page.getByRole('combobox', { name: 'Go to' })
  const run = async (typed: string, option: string) => {
    await page.keyboard.press('Control+k')
    // Also before the palette is loaded.
    await page.keyboard.type(typed)
    await page.getByRole('option', { name: option, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await field.waitFor({ state: 'detached' })
  }
  const closes = async (title: string) => {
    await page.getByRole('heading', { name: title, exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    // The focus returns to where it was before the palette.
    await expect.poll(() => inTree.evaluate((field) => field.matches(':focus'))).toBe(true)
  }
  const inTree = page.getByRole('searchbox', { name: 'Find in the tree' })
  await inTree.focus()
  await run('create business', 'Create business')
  await closes('Create business')
  await run('导入主机', 'Add or import hosts')
  await page.getByRole('dialog').getByText('Web shop, idle').first().waitFor()
  await closes('Add hosts')
  await run('time zone', 'Preferences: time zone, density, rows per page')
  await closes('Preferences')
  await run('act as', 'Act as another user')
  await closes('Act as another user')
  await run('new user gr', 'New user group')
  await closes('New group')
  await run('create obj', 'New object')
  await closes('New object')
  await run('dark', 'Dark appearance')
  await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark')
  await demo.server.call('POST', '/usercustom', { console: null })
  await run('compare two', 'Compare two moments')
  await page.getByRole('heading', { name: 'Compare Web shop' }).waitFor()
  await run('new subscr', 'New subscription')
  await page.getByRole('heading', { name: 'New subscription' }).waitFor()
  // An open service has no users to sign out.
  await page.keyboard.press('Control+k')
  await field.fill('sign out')
  await page.getByText('Nothing found').waitFor()
  await isSound(seen)
  await page.keyboard.press('Escape')

  const other = await demo.visit('/topology/2', { extraHTTPHeaders: { BK_User: 'mallory' } })
  await other.page.getByRole('tree').waitFor()
  await other.page.keyboard.press('Control+k')
  await other.page.getByRole('combobox', { name: 'Go to' }).fill('create set')
  await other.page.getByRole('option', { name: 'Add a level, set or module', selected: true }).waitFor()
  await other.page.keyboard.press('Enter')
  await other.page.getByText('You need “Edit topology” in Web shop. Ask amy or ben.').waitFor()
  await picture(other.page, 'palette-refused')
})

it('creates a business with the time zone of the browser and the language of the console', async () => {
  const { page } = await demo.visit('/', { timezoneId: 'Europe/Lisbon' })
  await page.getByRole('button', { name: 'Create business', exact: true }).click()
  await page.getByRole('textbox', { name: 'Business name' }).fill('Defaults')
  // Required, as the model says; the user is the first maintainer.
  expect(await page.getByRole('textbox', { name: 'Maintainers', exact: true }).inputValue()).toBe('admin')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('treeitem', { name: 'Defaults' }).waitFor()
  const body = { condition: { bk_biz_name: 'Defaults' }, fields: ['time_zone', 'language'] }
  const { data } = await demo.server.call<{ info: unknown[] }>('POST', '/biz/search/0', body)
  expect(data.info).toMatchObject([{ time_zone: 'Europe/Lisbon', language: '2' }])
})

it('uses Chinese in a Chinese browser and a dark theme on request, and remembers the choice', async () => {
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

  // In another browser, too.
  await page.evaluate(() => localStorage.clear())
  await page.goto(`${demo.url}/hosts`)
  await page.getByRole('columnheader', { name: 'Host name' }).waitFor()
  expect(await page.locator('html').getAttribute('data-theme')).toBe('light')
  await page.getByText(/^1.50 of/).waitFor()
  await page.getByRole('button', { name: 'Account and display' }).click()
  await page.getByRole('menuitem', { name: 'Preferences …' }).click()
  const zone = page.getByRole('combobox', { name: 'Time zone' })
  await zone.fill('Nowhere')
  await page.getByText('Must be a time zone such as Europe/Lisbon.').waitFor()
  await isSound(seen)
  await picture(page, 'preferences')
  await zone.fill('Pacific/Auckland')
  await page.getByRole('button', { name: /Rows per page/ }).click()
  await page.getByRole('option', { name: '25', exact: true }).click()
  await page.getByRole('button', { name: /Density/ }).click()
  await page.getByRole('option', { name: 'Compact' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(/^1.25 of/).waitFor()
  await picture(page, 'hosts-compact')
  await demo.server.call('POST', '/usercustom', { console: null })
})

it('shows the reason of the server why a business cannot be created, and recovers an archived one', async () => {
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

  // An archived business is in no list, and can be recovered.
  await page.getByRole('button', { name: 'Archive' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Archive' }).click()
  await page.getByRole('link', { name: 'Web shop', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Shop', exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Business: / }).click()
  await page.getByRole('link', { name: 'Archived businesses' }).click()
  await page.getByRole('rowheader', { name: 'Shop' }).waitFor()
  await isSound(seen)
  await picture(page, 'archived')
  await page.getByRole('searchbox', { name: 'Find by name' }).fill('mall')
  await page.getByRole('heading', { name: 'No archived business matches this name' }).waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByRole('button', { name: 'Recover' }).click()
  await page.getByRole('treeitem', { name: 'Shop' }).waitFor()
  await page.goto(`${demo.url}/archived`)
  await page.getByRole('heading', { name: 'No archived businesses' }).waitFor()
  expect(seen.complaints).toEqual([])
})

it('is usable while the names of businesses are still loading', async () => {
  const seen = await demo.visit('/')
  const { page } = seen
  await page
    .getByText(/^created business/)
    .first()
    .waitFor()
  // Recent changes are loaded before the names of their businesses.
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

it('disables forms that are still loading, and updates an open list when its data arrives', async () => {
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
  await page.getByText('No options yet.').waitFor()
  held.resolve()
  await page.getByRole('option', { name: 'Network' }).click()
})

it('has no errors on any page, contacts no other server, and runs no script but its own', async () => {
  const router = readFileSync('packages/console/src/router.tsx', 'utf8')
  const pages = [...router.matchAll(/ path: '(.+)'/g)].map(([, path = '']) =>
    path.replace('$business', '2').replace(/\$\w+/g, '1'),
  )
  expect(pages.length).toBeGreaterThan(7)
  // In Chinese: the tests of the pages cover English.
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
    await isSound(seen, 'all')
    if (!isFull) continue
    await page.emulateMedia({ colorScheme: 'light' })
    await isSound(seen, 'contrast')
    await page.emulateMedia({ colorScheme: 'dark' })
  }
})

it('reports an unknown address, and an unreachable server', async () => {
  const seen = await demo.visit('/nowhere/at/all')
  await seen.page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  await seen.page.route('**/api/v3/**', (route) => route.abort())
  await seen.page.getByRole('link', { name: 'Go to the overview' }).click()
  await seen.page.getByRole('alert').getByText('The server is unreachable.').first().waitFor()
  await seen.page.unroute('**/api/v3/**')
  await seen.page.getByRole('button', { name: 'Try again' }).first().click()
  await seen.page.getByRole('link', { name: 'Web shop', exact: true }).waitFor()
})

it('follows changes of other users, and continues by itself after the server was unreachable', async () => {
  const seen = await demo.visit('/')
  const { page } = seen
  await page
    .getByText(/^created business/)
    .first()
    .waitFor()
  await page.getByRole('link', { name: 'Web shop', exact: true }).waitFor()
  const create = (bk_biz_name: string) =>
    demo.server.call('POST', '/biz/0', { bk_biz_name, bk_biz_maintainer: 'ann', time_zone: 'UTC', language: '1' })
  await create('Seen live')
  await page.getByText('created business Seen live').waitFor()
  const row = page.getByRole('row').filter({ hasText: 'Seen live' })
  await expect.poll(() => row.getAttribute('class')).toBe('changed')

  await page.context().setOffline(true)
  await page.getByText(/^The server is unreachable\. What you see may be out of date/).waitFor()
  expect(await row.count()).toBe(1)
  await isSound({ page, complaints: [] })
  await picture(page, 'offline')
  await create('Created meanwhile')
  await page.context().setOffline(false)
  await page.getByRole('link', { name: 'Created meanwhile', exact: true }).waitFor()
  expect(await page.getByText(/^The server is unreachable/).count()).toBe(0)
  await page.close()
})

it('continues with the new console after an upgrade of the server, and reports a page that cannot be loaded', async () => {
  const { page } = await demo.visit('/')
  await page.getByRole('link', { name: 'Web shop', exact: true }).waitFor()
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
  await page.getByRole('heading', { name: 'This page could not be loaded.' }).waitFor()
  await page.unroute('**/assets/Model-*.js')
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('region', { name: 'Main line', exact: true }).waitFor()
})

it('is at most 200 kB of compressed script for the first page', async () => {
  const { page } = await demo.visit('/')
  await page.getByRole('link', { name: 'Web shop', exact: true }).waitFor()
  const sizes = await page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter((each) => each.name.endsWith('.js'))
      .map((each) => each.encodedBodySize),
  )
  expect(sizes.length).toBeGreaterThan(1)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000)
})
