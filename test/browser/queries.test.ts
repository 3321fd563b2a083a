import { afterAll, beforeAll, expect, it } from 'vitest'
import { chinese, type DemoConsole, isSound, openDemo, picture } from './browser.ts'

let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo.close())

it('builds a query for the web servers, sees what it finds while typing, saves it, and runs what is to be copied', async () => {
  const seen = await demo.visit('/queries/2')
  const { page } = seen
  await page.getByText('No query has been saved yet').waitFor()
  await page.getByText(/^\d+ hosts, the first 20 are shown$/).waitFor()
  await page.getByRole('textbox', { name: 'Value' }).fill('web')
  await page.getByText('8 hosts', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Add a condition' }).click()
  await page
    .getByRole('button', { name: /Object/ })
    .last()
    .click()
  await page.getByRole('option', { name: 'Host' }).click()
  await page
    .getByRole('button', { name: /Attribute/ })
    .last()
    .click()
  await page.getByRole('option', { name: 'Operating system', exact: true }).click()
  await page.getByRole('textbox', { name: 'Value' }).last().fill('Debian')
  await page.getByRole('button', { name: /Add a column/ }).click()
  await page.getByRole('option', { name: 'Host: CPU cores' }).click()
  await page.getByRole('columnheader', { name: 'CPU cores' }).waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill('web servers')
  await isSound(seen)
  await page.getByRole('button', { name: 'Save query' }).click()
  await page.getByText('Query web servers has been saved').waitFor()
  await page.getByRole('link', { name: 'web servers' }).waitFor()
  await picture(page, 'queries')

  const command = await page.getByText(/^curl -s /).textContent()
  const [, address = ''] = /'(.*)'/.exec(command ?? '') ?? []
  const answer = (await (await fetch(address)).json()) as { data: { count: number; info: object[] } }
  expect(answer.data.count).toBe(
    await page
      .getByRole('table')
      .getByRole('row')
      .count()
      .then((rows) => rows - 1),
  )
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export JSON' }).click()
  expect((await download).suggestedFilename()).toBe('web servers.json')

  await page.reload()
  expect(await page.getByRole('textbox', { name: 'Value' }).last().inputValue()).toBe('Debian')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No query has been saved yet').waitFor()
})

it('shows in Chinese what the server says against a query, and that one is gone', async () => {
  const seen = await demo.visit('/queries/2', chinese)
  const { page } = seen
  await page.getByRole('button', { name: /运算/ }).click()
  await page.getByRole('option', { name: '匹配' }).click()
  await page.getByRole('textbox', { name: '值' }).fill('(')
  await page.getByRole('alert').getByText('必须是 RE2 正则表达式').waitFor()
  await isSound(seen)
  await page.getByRole('textbox', { name: '值' }).fill('^web$')
  await page.getByText('8 台主机', { exact: true }).waitFor()
  await picture(page, 'queries-zh')
  await page.goto(`${demo.url}/queries/2?query=c0ffee00000000000000`)
  await page.getByRole('heading', { name: '没有这个查询' }).waitFor()
})
