import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { subscribe } from '../../packages/server/src/testing/data/subscriptions.ts'
import { type Receiver, startReceiver } from '../../packages/server/src/testing/servers/receiver.ts'
import { chinese, type DemoConsole, isSound, openDemo, picture } from './browser.ts'

let demo: DemoConsole
let receiver: Receiver
beforeAll(async () => {
  demo = await openDemo()
  receiver = await startReceiver()
  await subscribe(demo.server, receiver, { subscription_name: 'inventory', subscription_form: 'moduletransfer' })
})
afterAll(async () => {
  await demo.close()
  await receiver.close()
})

const tick = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true }).click({ force: true })

it('shows the hosts of a set, finds one by its address, and moves it to another module', async () => {
  const seen = await demo.visit('/topology/2?node=set-3')
  const { page } = seen
  await page.getByRole('link', { name: '10.0.0.8', exact: true }).waitFor()
  await page.getByRole('cell', { name: 'default area' }).first().waitFor()
  await isSound(seen)
  await picture(page, 'topology-hosts')
  await page.getByRole('searchbox', { name: 'Addresses or a host name' }).fill('10.0.0.8')
  await page.getByText('1 host', { exact: true }).waitFor()
  await tick(page, 'Select 10.0.0.8')
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await page.getByRole('searchbox', { name: 'Find a module' }).fill('checkout / worker')
  await tick(page, 'Europe / Amsterdam / checkout / worker')
  await isSound(seen)
  await picture(page, 'hosts-move')
  await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
  await page.getByText('1 host moved').waitFor()
  await page.getByText('No host matches this search').waitFor()

  await page.getByRole('treeitem', { name: 'worker' }).click()
  await page.getByRole('link', { name: '10.0.0.8', exact: true }).click()
  await page.getByRole('heading', { name: '10.0.0.8' }).waitFor()
  await page.getByRole('link', { name: 'Web shop / Europe / Amsterdam / checkout / worker' }).waitFor()
  await page.getByRole('tab', { name: 'History' }).click()
  await page.getByRole('button', { name: /host module change/ }).waitFor()
  await isSound(seen)
  await page.getByRole('tab', { name: 'Events sent' }).click()
  await page
    .getByRole('row', { name: /moduletransfer inventory confirmed 200/ })
    .first()
    .waitFor()
  await isSound(seen)
  await picture(page, 'host')
})

it('drags a host onto a module', async () => {
  const { page } = await demo.visit('/topology/2?node=set-3')
  const host = page.getByRole('row').filter({ has: page.getByRole('link', { name: '10.0.0.5', exact: true }) })
  const resizer = page.getByRole('treeitem', { name: 'resizer' })
  await expect.poll(() => resizer.getAttribute('aria-description')).toBe('10 hosts')
  await host.dragTo(resizer)
  await page.getByRole('heading', { name: 'Move 1 host' }).waitFor()
  // The target is in sight, and ticked.
  const first = page.getByRole('group', { name: 'Modules' }).getByRole('checkbox').first()
  expect(await first.isChecked()).toBe(true)
  await page.getByText('Asia / Singapore / media / resizer').first().waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click()
  await page.getByRole('link', { name: '10.0.0.5', exact: true }).waitFor({ state: 'detached' })
  await expect.poll(() => resizer.getAttribute('aria-description')).toBe('11 hosts')
})

it('changes several hosts together, in the chosen columns', async () => {
  const { page } = await demo.visit('/topology/2?node=set-3')
  // Ticked while the previous choice is still being saved; both are saved.
  await page.route('**/usercustom', async (route) => {
    await sleep(500)
    await route.continue()
  })
  await page.getByRole('button', { name: 'Columns' }).click()
  await tick(page, 'Serial number')
  await tick(page, 'Remark')
  await expect.poll(() => page.getByRole('checkbox', { name: 'Inner IP' }).isDisabled()).toBe(true)
  await page.keyboard.press('Escape')
  await page.getByRole('columnheader', { name: 'Remark' }).waitFor()
  await page.getByRole('columnheader', { name: 'Serial number' }).waitFor()
  await page.getByRole('columnheader', { name: 'Inner IP' }).waitFor()
  await tick(page, 'Select all on this page')
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByRole('button', { name: /Attribute to change/ }).click()
  await page.getByRole('option', { name: 'Remark' }).click()
  await page.getByRole('textbox', { name: 'Remark' }).fill('to be replaced')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText(/^\d+ hosts updated$/).waitFor()
  await page.getByRole('cell', { name: 'to be replaced' }).first().waitFor()
  await page.reload()
  await page.getByRole('columnheader', { name: 'Remark' }).waitFor()

  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('button', { name: 'Add a condition' }).click()
  await page.getByRole('button', { name: /Attribute/ }).click()
  await page.getByRole('option', { name: 'CPU cores' }).click()
  await page.getByRole('button', { name: /Operator/ }).click()
  await page.getByRole('option', { name: 'is at least' }).click()
  await page.getByRole('textbox', { name: 'Value' }).fill('32')
  await page.getByRole('button', { name: '1 filter' }).waitFor()
  await expect.poll(() => page.getByRole('cell', { name: '4', exact: true }).count()).toBe(0)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  expect((await download).suggestedFilename()).toBe('hosts.csv')
  await page.getByRole('button', { name: '1 filter' }).click()
  await page.reload()
  await page.getByRole('button', { name: '1 filter' }).waitFor()
  expect(await page.getByRole('button', { name: 'Add a condition' }).count()).toBe(0)
})

it('selects all matching hosts of all pages, and shows what a move changes', async () => {
  const seen = await demo.visit('/topology/4')
  const { page } = seen
  await tick(page, 'Select all on this page')
  await page.getByText('All 50 hosts on this page are selected.').waitFor()
  await isSound(seen)
  await page.getByRole('button', { name: 'Select all 95 matching hosts' }).click()
  await page.getByText('95 selected').waitFor()
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('checkbox').first().click({ force: true })
  const plan = dialog.getByRole('list', { name: 'What the move changes' })
  await plan.getByText('which has no hosts afterwards').first().waitFor()
  await isSound(seen)
  await picture(page, 'hosts-move-plan')
  await dialog.getByRole('button', { name: 'Move' }).click()
  await page.getByText('95 hosts moved').waitFor()
  await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' }).click()
  await dialog.getByText(/^\d+ records will be undone, all or none\.$/).waitFor()
  await dialog.getByRole('button', { name: 'Undo' }).click()
  await page.getByText(/^\d+ records undone$/).waitFor()
})

it('filters hosts by their modules, and saves the conditions as a query', async () => {
  const seen = await demo.visit('/topology/3')
  const { page } = seen
  await page.getByRole('treeitem', { name: 'ledger' }).click()
  await page.getByRole('heading', { name: 'ledger' }).waitFor()
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByRole('button', { name: 'Add a condition' }).click()
  await page.getByRole('button', { name: /Object/ }).click()
  await page.getByRole('option', { name: 'Module' }).click()
  await page.getByRole('button', { name: /Attribute/ }).click()
  await page.getByRole('option', { name: 'Module name' }).click()
  await page.getByRole('textbox', { name: 'Value' }).fill('no such module')
  await page.getByText('No host matches this search').waitFor()
  await isSound(seen)
  await page.getByRole('link', { name: 'Save as query' }).click()
  await page.getByText('0 hosts').waitFor()
  const values = page.getByRole('combobox', { name: 'Value' })
  await expect.poll(() => values.count()).toBe(2)
  expect(await Promise.all([values.nth(0).inputValue(), values.nth(1).inputValue()])).toEqual([
    'ledger',
    'no such module',
  ])
})

it('saves a search as a view, notes it as a recent one, and puts columns into the link in any order', async () => {
  const seen = await demo.visit('/hosts')
  const { page } = seen
  await page.getByRole('searchbox', { name: 'Addresses or a host name' }).fill('ledger')
  await expect.poll(() => page.getByRole('cell', { name: /^ledger-/ }).count()).toBeGreaterThan(2)
  const found = await page.locator('.host-count').innerText()
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('textbox', { name: 'Name of the view' }).fill('Ledgers')
  await page.getByRole('button', { name: 'Save view' }).click()
  await page.getByRole('button', { name: 'Ledgers “ledger”' }).waitFor()
  await isSound(seen)
  await picture(page, 'hosts-views')
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('searchbox', { name: 'Find a column' }).fill('disk')
  await tick(page, 'Disk')
  await page.getByRole('button', { name: 'Clear' }).last().click()
  await page.getByText('Put these columns into the link').click()
  await page.getByRole('button', { name: 'Move Host name to the left' }).click()
  await isSound(seen)
  await picture(page, 'hosts-columns')
  await page.keyboard.press('Escape')
  await expect.poll(() => new URL(page.url()).searchParams.get('columns')).toMatch(/^bk_host_innerip,bk_host_name,/)
  await page.getByRole('columnheader', { name: 'Disk' }).waitFor()

  await page.goto(`${demo.url}/hosts`)
  const views = page.getByRole('button', { name: 'Views' })
  await views.click()
  await page.getByRole('button', { name: 'Ledgers “ledger”' }).click()
  await expect.poll(() => page.locator('.host-count').innerText()).toBe(found)
  // The most used one comes first.
  await views.click()
  await expect.poll(() => page.locator('.view-line').first().innerText()).toContain('Ledgers')
  await page.getByRole('button', { name: 'Delete view Ledgers' }).click()
  await page.getByRole('button', { name: 'Ledgers “ledger”' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: '“ledger”', exact: true }).waitFor()
})

it('prefetches the page after the next', async () => {
  const { page } = await demo.visit('/hosts')
  const ahead = page.waitForResponse((answer) => answer.request().postDataJSON()?.page?.start === 100)
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByText(/^51.100 of/).waitFor()
  expect(await (await ahead).finished()).toBe(null)
  // From here on the server no longer answers requests about hosts.
  await page.route('**/hosts/search', () => {})
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByText(/^101.150 of/).waitFor()
  await page.getByRole('link', { name: '10.0.0.101', exact: true }).waitFor()
})

it('selects a range of rows with Shift, and shows that a page is selected in part', async () => {
  const { page } = await demo.visit('/hosts')
  // The header stays in sight while the rows scroll.
  const header = page.getByRole('columnheader', { name: 'Inner IP' })
  await page.getByRole('link', { name: '10.0.0.50', exact: true }).scrollIntoViewIfNeeded()
  expect((await header.boundingBox())?.y).toBeGreaterThan(0)
  // Levels are part of a placement.
  await page.getByRole('cell', { name: 'Europe / Frankfurt / storefront / nginx' }).first().waitFor()
  await tick(page, 'Select 10.0.0.3')
  await page.keyboard.down('Shift')
  await tick(page, 'Select 10.0.0.7')
  await page.keyboard.up('Shift')
  await page.getByText('5 selected').waitFor()
  const all = page.getByRole('checkbox', { name: 'Select all on this page' })
  expect(await all.evaluate((box) => (box as unknown as { indeterminate: boolean }).indeterminate)).toBe(true)
  await page.keyboard.down('Shift')
  await tick(page, 'Select 10.0.0.5')
  await page.keyboard.up('Shift')
  await page.getByText('2 selected').waitFor()
})

it('adds hosts from a list, shows the result of each row, and assigns them to a business', async () => {
  const seen = await demo.visit('/hosts?scope=pool')
  const { page } = seen
  await page.getByRole('button', { name: 'Add hosts' }).click()
  const rows =
    'bk_host_innerip,bk_cloud_id,bk_host_name,bk_cpu\n10.77.0.1,,spare one,4\n10.77.0.2,,spare two,many\n10.77.0.3,999,odd,2'
  await page.getByRole('textbox', { name: 'Hosts' }).fill(rows)
  await page.getByText('2 rows are ready, 1 cannot be added').waitFor()
  await isSound(seen)
  await page.getByRole('dialog').getByRole('button', { name: 'Add hosts' }).click()
  await page.getByRole('row', { name: /10\.77\.0\.3 .*cloud area/ }).waitFor()
  await page.getByRole('row', { name: '10.77.0.1 added' }).waitFor()
  await picture(page, 'hosts-add')
  await page.getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('searchbox', { name: 'Addresses or a host name' }).fill('spare one')
  await page.getByText('1 host', { exact: true }).waitFor()
  await tick(page, 'Select 10.77.0.1')
  await page.getByRole('button', { name: 'Assign to a business' }).click()
  await page
    .getByRole('button', { name: /Business Business|^Business$|Business/ })
    .last()
    .click()
  await page.getByRole('option', { name: 'Payments' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Assign to a business' }).click()
  await page.getByText('1 host moved').waitFor()
})

it('explains in Chinese why hosts in use cannot be returned to the pool', async () => {
  const seen = await demo.visit('/topology/2?node=set-3', chinese)
  const { page } = seen
  await tick(page, '选择 10.0.0.2')
  const give = page.getByRole('button', { name: '归还资源池' })
  expect(await give.getAttribute('aria-disabled')).toBe('true')
  await page.mouse.move(600, 400)
  await give.hover()
  await page.getByRole('tooltip', { name: '所选主机中有 1 台在其他模块中' }).waitFor()
  await isSound(seen)
  await picture(page, 'hosts-zh')
  await page.goto(`${demo.url}/hosts/999999`)
  await page.getByRole('heading', { name: '没有这台主机' }).waitFor()
})
