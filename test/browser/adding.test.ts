import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DemoConsole, openDemo } from './browser.ts'

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

it('reads a second file anew: what became of the rows of the first is no fate of its own', async () => {
  const { page, dialog } = await openDialog()
  await choose(page, 'bk_host_innerip,bk_host_name\n10.78.0.1,first\n10.78.0.999,odd')
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

it('takes back the table it has exported, and yes and no as people and spreadsheets write them', async () => {
  await addAttribute('is_spare', 'Spare', 'bool')
  await demo.server.call('POST', '/usercustom', {
    host_display_column: ['bk_host_innerip', 'bk_host_name', 'is_spare'],
  })
  const { page, dialog } = await openDialog()
  const rows = ['10.79.0.1,-one,TRUE', '10.79.0.2,two,否', '10.79.0.3,three,perhaps']
  await page.getByRole('textbox', { name: 'Hosts' }).fill(`bk_host_innerip,bk_host_name,is_spare\n${rows.join('\n')}`)
  await page.getByRole('row', { name: '10.79.0.3 Spare: This must be yes or no.' }).waitFor()
  await dialog.getByRole('button', { name: 'Add hosts' }).click()
  await page.getByRole('row', { name: '10.79.0.2 added' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('searchbox', { name: 'Addresses or a name' }).fill('10.79.0.')
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
