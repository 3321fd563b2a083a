// The view of hosts is in the address: the page follows the address however it changes, and the address stays canonical.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DemoConsole, isSound, openDemo, picture } from './browser.ts'

let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo.close())

const added = async (addresses: readonly string[]) => {
  const host_info = Object.fromEntries(addresses.map((ip, row) => [String(row + 1), { bk_host_innerip: ip }]))
  expect((await demo.server.call('POST', '/hosts/add', { host_info })).result).toBe(true)
}
const manyCores = JSON.stringify([{ object: 'host', field: 'bk_cpu', operator: '$gte', value: '32' }])

it('filters by the address, also after leaving by the navigation and coming back', async () => {
  const { page } = await demo.visit(`/hosts?where=${encodeURIComponent(manyCores)}`)
  const count = page.getByText(/^[\d,]+ hosts$/)
  await page.getByRole('button', { name: '1 filter' }).waitFor()
  const filtered = await count.innerText()
  // Half typed: unsaved text of a filter stays while another filter changes.
  await page.getByRole('button', { name: 'Add a condition' }).click()
  await page.getByRole('textbox', { name: 'Value' }).first().fill('8')
  await expect.poll(() => count.innerText()).not.toBe(filtered)
  expect(await page.getByRole('button', { name: 'Remove this condition' }).count()).toBe(2)
  const more = await count.innerText()

  await page.getByRole('navigation').getByRole('link', { name: 'Hosts', exact: true }).click()
  await expect.poll(() => page.url()).toBe(`${demo.url}/hosts`)
  await page.getByRole('button', { name: 'Filter', exact: true }).waitFor()
  await page.getByText('500 hosts', { exact: true }).waitFor()
  await page.goBack()
  await page.getByRole('button', { name: '1 filter' }).waitFor()
  await page.getByText(more, { exact: true }).waitFor()
  expect(await page.getByRole('textbox', { name: 'Value' }).inputValue()).toBe('8')
})

it('goes back to the last page that exists when the current one has become empty', async () => {
  await added(Array.from({ length: 51 }, (_, index) => `10.90.0.${index + 1}`))
  const { page } = await demo.visit('/hosts?scope=pool&q=10.90.0.&sort=bk_host_id&start=50')
  await page.getByRole('checkbox', { name: 'Select 10.90.0.51' }).click({ force: true })
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('1 host deleted').waitFor()
  await page.getByRole('link', { name: '10.90.0.50', exact: true }).waitFor()
  await expect.poll(() => new URL(page.url()).searchParams.get('start')).toBe(null)
  await page.goto(`${demo.url}/hosts?scope=pool&q=10.90.0.&start=nowhere`)
  await page.getByRole('link', { name: '10.90.0.50', exact: true }).waitFor()
})

it('goes back to the last existing page of archived businesses, too', async () => {
  for (let index = 1; index <= 51; index++) {
    const name = `left ${String(index).padStart(2, '0')}`
    const body = { bk_biz_name: name, bk_biz_maintainer: 'amy', time_zone: 'Europe/Berlin', language: '2' }
    const { data } = await demo.server.call<{ bk_biz_id: number }>('POST', '/biz/0', body)
    await demo.server.call('PUT', `/biz/status/disabled/0/${data.bk_biz_id}`)
  }
  const { page } = await demo.visit('/archived?start=50')
  await page.getByRole('row', { name: /left 51/ }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('row', { name: /left 50/ }).waitFor()
  await expect.poll(() => page.url()).toBe(`${demo.url}/archived`)
})

it('keeps a list that is too long for an address in the tab, and says so', async () => {
  const list = Array.from({ length: 1_500 }, (_, index) => `10.0.${index >> 8}.${index % 256}`)
  const seen = await demo.visit('/hosts')
  const { page } = seen
  await page.getByText(/^[\d,]+ hosts$/).waitFor()
  await page.getByRole('searchbox', { name: 'Addresses or a host name' }).fill(list.join(' '))
  await page.getByText('This list is too long for the URL of the page').waitFor()
  await page.getByText('500 hosts', { exact: true }).waitFor()
  expect(page.url().length).toBeLessThan(4_000)
  await isSound(seen)
  await picture(page, 'hosts-long-list')
  await page.reload()
  await page.getByText('This list is too long for the URL of the page').waitFor()
  await page.getByText('500 hosts', { exact: true }).waitFor()
  expect(await page.getByRole('searchbox', { name: 'Addresses or a host name' }).inputValue()).toBe(list.join(' '))

  // Another user with this address sees that the list is missing, not all hosts.
  const other = await demo.visit(page.url().slice(demo.url.length))
  await other.page.getByRole('heading', { name: 'The address list of this search is missing' }).waitFor()
  await isSound(other)
  await picture(other.page, 'hosts-lost-list')
  await other.page.getByRole('button', { name: 'All hosts' }).click()
  await other.page.getByText(/^[\d,]+ hosts$/).waitFor()
})
