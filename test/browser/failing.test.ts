// Requests that a page of hosts makes besides the hosts may fail: the page reports it, and can retry.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DemoConsole, isSound, openDemo, picture } from './browser.ts'

let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo.close())

const json = { result: false, bk_error_code: 1199000, bk_error_msg: 'out of order for now', data: null }
/** Fails requests until told otherwise. */
async function refuse(page: Page, path: string): Promise<() => Promise<void>> {
  await page.route(path, (route) => route.fulfill({ status: 400, json }))
  return () => page.unroute(path)
}
const failure = (page: Page) => page.getByRole('alert').getByText('out of order for now')
const retry = (page: Page) => page.getByRole('button', { name: 'Try again' }).click()

it('shows hosts without the chosen columns and the reason, and prevents overwriting them', async () => {
  await demo.server.call('POST', '/usercustom', { host_display_column: ['bk_host_innerip', 'bk_sn'] })
  const seen = await demo.visit('/model')
  const { page } = seen
  const own = await refuse(page, '**/usercustom/user/search')
  const usual = await refuse(page, '**/usercustom/default/search')
  await page.goto(`${demo.url}/hosts`)
  await failure(page).waitFor()
  await page.getByRole('link', { name: '10.0.0.1', exact: true }).waitFor()
  expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['', 'Inner IP', 'Business', 'Where'])
  await isSound(seen)
  await picture(page, 'hosts-no-columns')
  await usual()
  await retry(page)
  await page.getByRole('columnheader', { name: 'Host name' }).waitFor()
  await page.getByRole('button', { name: 'Columns' }).hover()
  await page.getByRole('tooltip').getByText('Your column selection could not be loaded.').waitFor()
  expect(await page.getByRole('checkbox', { name: 'Serial number' }).count()).toBe(0)
  await picture(page, 'hosts-no-choice')
  await own()
  await retry(page)
  await page.getByRole('columnheader', { name: 'Serial number' }).waitFor()
  expect(await failure(page).count()).toBe(0)
})

it.each(['/hosts', '/topology/2?node=set-3', '/hosts/1'])(
  'reports at %s that attributes could not be loaded',
  async (path) => {
    const seen = await demo.visit('/')
    const { page } = seen
    const attributes = await refuse(page, '**/object/attr/search')
    await page.goto(demo.url + path)
    await failure(page).waitFor()
    await isSound(seen)
    await attributes()
    await retry(page)
    await page.getByText('Inner IP').first().waitFor()
    expect(await failure(page).count()).toBe(0)
  },
)

it('reports it on the page for adding hosts, too', async () => {
  const { page } = await demo.visit('/')
  const attributes = await refuse(page, '**/object/attr/search')
  await page.goto(`${demo.url}/hosts`)
  await page.getByRole('button', { name: 'Add hosts' }).click()
  const dialog = page.getByRole('dialog')
  await page.getByRole('textbox', { name: 'Hosts' }).fill('10.91.0.1')
  await dialog.getByText('out of order for now').waitFor()
  await attributes()
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('row', { name: '10.91.0.1 will be added' }).waitFor()
})
