import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DemoConsole, openDemo } from './browser.ts'

let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo.close())

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
