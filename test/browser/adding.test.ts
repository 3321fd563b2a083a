import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { chinese, type DemoConsole, isSound, openDemo, picture } from './browser.ts'
import type { PageDocument } from './in-page.ts'

declare const document: PageDocument

let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo.close())

const addAttribute = (id: string, name: string, type: string, required = false) =>
  demo.server.call('POST', '/object/attr', {
    bk_obj_id: 'host',
    bk_property_id: id,
    bk_property_name: name,
    bk_property_type: type,
    isrequired: required,
    editable: true,
  })

const openDialog = async (path = '/hosts?scope=pool') => {
  const seen = await demo.visit(path)
  await seen.page.getByRole('button', { name: 'Add hosts' }).click()
  return { ...seen, dialog: seen.page.getByRole('dialog') }
}
const choose = (page: Page, text: string) =>
  page
    .locator('input[type=file]')
    .setInputFiles({ name: 'hosts.csv', mimeType: 'text/csv', buffer: Buffer.from(text, 'utf8') })

interface Found {
  readonly count: number
  readonly info: { readonly host: Record<string, unknown> }[]
}
const stored = async (address: string) => {
  const ip = { data: [address], exact: 1, flag: 'bk_host_innerip' }
  const condition = [{ bk_obj_id: 'host', fields: [], condition: [] }]
  return (await demo.server.call<Found>('POST', '/hosts/search', { ip, condition })).data
}

it('reads a second file from scratch: results of the first one are not carried over', async () => {
  const { page, dialog } = await openDialog()
  await choose(page, 'bk_host_innerip,bk_cloud_id\n10.78.0.1,0\n10.78.0.9,999')
  await dialog.getByRole('button', { name: 'Add hosts' }).click()
  await page.getByRole('row', { name: '10.78.0.1 added' }).waitFor()
  await choose(page, 'bk_host_innerip,bk_host_name\n10.78.0.2,second\n10.78.0.3,third')
  await page.getByRole('row', { name: '10.78.0.2 will be added' }).waitFor()
  await page.getByRole('row', { name: '10.78.0.3 will be added' }).waitFor()
  await dialog.getByRole('button', { name: 'Add hosts' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await stored('10.78.0.2')).count).toBe(1)
  expect((await stored('10.78.0.3')).count).toBe(1)
})

it('imports every column of a spreadsheet except those that the user deselects', async () => {
  const seen = await openDialog()
  const { page, dialog } = seen
  const rows = Array.from({ length: 12 }, (_, index) => `10.70.0.${index + 1};web-${index + 1};Debian;4;8;red`)
  await choose(page, `IP;Hostname;OS;Cores;Memory (GB);Colour\r\n${rows.join('\r\n')}\r\n10.70.0.999;odd;;;;\r\n`)
  await page.getByText('13 cannot be added').waitFor()
  await page
    .getByRole('row', { name: '10.70.0.1 choose an attribute for the column “Colour”, or leave it out' })
    .waitFor()
  await isSound(seen)
  await picture(page, 'hosts-add-columns')
  await page.getByRole('button', { name: /Colour/ }).click()
  await page.getByRole('option', { name: 'Leave out' }).click()
  await page.getByText('12 rows are ready, 1 cannot be added').waitFor()
  await page.getByRole('row', { name: '10.70.0.999 is not an IP address' }).waitFor()
  await page.getByRole('row', { name: '10.70.0.1 will be added' }).waitFor()
  await dialog.getByRole('button', { name: 'Add hosts' }).click()
  await page.getByRole('row', { name: '10.70.0.12 added' }).waitFor()
  const [made] = (await stored('10.70.0.12')).info
  expect(made?.host).toMatchObject({ bk_host_name: 'web-12', bk_os_name: 'Debian', bk_cpu: 4, bk_mem: 8_192 })
})

it('adds the single addresses of a range', async () => {
  const { page, dialog } = await openDialog()
  await page.getByRole('textbox', { name: 'Hosts' }).fill('10.71.0.254 - 10.71.1.2')
  await page.getByText('5 rows are ready', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Add hosts' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await stored('10.71.1.0')).count).toBe(1)
})

it('imports the table it has exported, and yes and no in the spellings of people and spreadsheets', async () => {
  await addAttribute('is_spare', 'Spare', 'bool')
  await demo.server.call('POST', '/usercustom', {
    host_display_column: ['bk_host_innerip', 'bk_host_name', 'is_spare'],
  })
  const { page, dialog } = await openDialog()
  const rows = ['10.79.0.1,-one,TRUE', '10.79.0.2,two,否', '10.79.0.3,three,perhaps']
  await page.getByRole('textbox', { name: 'Hosts' }).fill(`bk_host_innerip,bk_host_name,is_spare\n${rows.join('\n')}`)
  await page.getByRole('row', { name: '10.79.0.3 Spare: Must be yes or no.' }).waitFor()
  await dialog.getByRole('button', { name: 'Add hosts' }).click()
  await page.getByRole('row', { name: '10.79.0.2 added' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('searchbox', { name: 'Addresses or a host name' }).fill('10.79.0.')
  await page.getByText('2 hosts', { exact: true }).waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const exported = readFileSync(await (await download).path(), 'utf8')
  expect(exported.split('\r\n')[0]).toMatch(/,Where$/)
  await page.getByRole('button', { name: 'Add hosts' }).click()
  await choose(page, exported)
  await page.getByText('2 rows are ready', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Add hosts' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await stored('10.79.0.1')).info[0]?.host).toMatchObject({ bk_host_name: '-one', is_spare: true })
  expect((await stored('10.79.0.2')).info[0]?.host).toMatchObject({ bk_host_name: 'two', is_spare: false })
})

/** Visible without scrolling, not merely on the page. */
const inSight = (element: Locator) =>
  element.evaluate((found) => {
    const { left, top } = found.getBoundingClientRect()
    return found.contains(document.elementFromPoint(left + 2, top + 2))
  })

const many = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}.${Math.floor(index / 250)}.${(index % 250) + 1}`)

it('shows the rows with a problem first, and how many of the others are hidden', async () => {
  const seen = await openDialog()
  const { page } = seen
  const rows = many('10.80', 300)
  await page.getByRole('textbox', { name: 'Hosts' }).fill([...rows, rows[0]].join('\n'))
  await page.getByText('300 rows are ready, 1 cannot be added').waitFor()
  const first = page.getByRole('dialog').getByRole('row').nth(1)
  expect(await first.innerText()).toMatch(/^301\s+10\.80\.0\.1\s+duplicates the address of another row$/)
  await page.getByText('101 more rows are not shown here; none of them has a problem.').waitFor()
  await isSound(seen)
  await picture(page, 'hosts-add-many')
})

it('reports that a single address exists already, with its cloud area', async () => {
  const area = await demo.server.call<{ bk_cloud_id: number }>('POST', '/inst/0/plat', { bk_cloud_name: 'far away' })
  const { page } = await openDialog()
  const text = page.getByRole('textbox', { name: 'Hosts' })
  await text.fill('10.0.0.1')
  await page.getByRole('row', { name: '10.0.0.1 already exists: will be updated' }).waitFor()
  await text.fill('10.0.0.')
  await page.getByRole('row', { name: '10.0.0. is not an IP address' }).waitFor()
  await text.fill(`bk_host_innerip,bk_cloud_id\n10.0.0.1,${area.data.bk_cloud_id}`)
  await page.getByRole('row', { name: '10.0.0.1 will be added' }).waitFor()
  await text.fill('bk_host_innerip,bk_cloud_id\n10.0.0.1,default area')
  await page.getByRole('row', { name: '10.0.0.1 already exists: will be updated' }).waitFor()
})

it('adds a host by a form, edits it by the same form, and shows the errors of the server', async () => {
  await addAttribute('is_leased', 'Leased', 'bool')
  const seen = await openDialog()
  const { page, dialog } = seen
  await page.getByRole('tab', { name: 'One host' }).click()
  await dialog.getByRole('button', { name: 'Add host', exact: true }).click()
  await dialog.getByText('This field is required.').waitFor()
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Inner IP' }).evaluate((field) => field === document.activeElement))
    .toBe(true)
  await page.getByRole('textbox', { name: 'Inner IP' }).fill('10.81.0.999')
  await dialog.getByRole('button', { name: 'Add host', exact: true }).click()
  await dialog
    .getByText(/not an IPv4 or IPv6 address/)
    .first()
    .waitFor()
  await page.getByRole('textbox', { name: 'Inner IP' }).fill('10.81.0.1')
  await page.getByRole('textbox', { name: 'Host name' }).fill('by hand')
  await dialog.getByText('Leased').click()
  await isSound(seen)
  await page.getByRole('textbox', { name: 'Inner IP' }).scrollIntoViewIfNeeded()
  await picture(page, 'hosts-add-form')
  await dialog.getByRole('button', { name: 'Add host', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const [made] = (await stored('10.81.0.1')).info
  expect(made?.host).toMatchObject({ bk_host_name: 'by hand', bk_cloud_id: 0, is_leased: true })

  await page.getByRole('button', { name: 'Add hosts' }).click()
  await page.getByRole('tab', { name: 'One host' }).click()
  await page.getByRole('textbox', { name: 'Inner IP' }).fill('10.81.0.1')
  await page.getByText('A host with this address and cloud area already exists').waitFor()
  await page.getByRole('textbox', { name: 'CPU cores' }).fill('8')
  await dialog.getByRole('button', { name: 'Add host', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const { host } = (await stored('10.81.0.1')).info[0] ?? {}
  expect(host).toMatchObject({ bk_host_id: made?.host.bk_host_id, bk_host_name: 'by hand', bk_cpu: 8, is_leased: true })
})

it('stops between two requests when asked to, and continues with the rest', async () => {
  const { page, dialog } = await openDialog()
  let asked = 0
  await page.route('**/hosts/add', async (route) => {
    asked++
    await sleep(1_000)
    await route.continue()
  })
  const rows = many('10.82', 1_200)
  await choose(page, rows.join('\n'))
  await page.getByText('1,200 rows are ready').waitFor()
  await dialog.getByRole('button', { name: 'Add hosts' }).click()
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Stopped: 500 of 1,200 rows were sent').waitFor()
  expect(asked).toBe(1)
  expect([(await stored(rows[499] ?? '')).count, (await stored(rows[500] ?? '')).count]).toEqual([1, 0])
  expect(await inSight(page.getByText('Stopped: 500'))).toBe(true)
  await picture(page, 'hosts-add-stopped')
  await dialog.getByRole('button', { name: 'Add hosts' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(asked).toBe(3)
  expect((await stored(rows[1_199] ?? '')).count).toBe(1)
})

it('offers list and form in Chinese', async () => {
  const seen = await demo.visit('/topology/2?node=set-3', chinese)
  await seen.page.getByRole('button', { name: '添加主机' }).click()
  await seen.page.getByRole('tab', { name: '单台主机' }).click()
  await seen.page.getByRole('textbox', { name: '内网IP' }).fill('10.0.0.1')
  await seen.page.getByText('主机已存在').waitFor()
  await isSound(seen)
  await picture(seen.page, 'hosts-add-form-zh')
})
