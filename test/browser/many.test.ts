import { afterAll, beforeAll, expect, it } from 'vitest'
import { chinese, type DemoConsole, isSound, openDemo, picture } from './browser.ts'

// More of everything than fits on one page of the API.
let demo: DemoConsole
let set = 0
beforeAll(async () => {
  demo = await openDemo()
  const post = async <Data>(path: string, body: object) => {
    const { result, data, bk_error_msg } = await demo.server.call<Data>('POST', path, body)
    expect(result, bk_error_msg ?? '').toBe(true)
    return data
  }
  const numbered = (name: string) =>
    Array.from({ length: 205 }, (_, at) => `${name} ${String(at + 1).padStart(3, '0')}`)
  for (const bk_biz_name of numbered('Annex')) await post('/biz/0', { bk_biz_name })
  const info = '{"condition":[]}'
  for (const name of numbered('report')) await post('/userapi', { bk_biz_id: 2, name, info })
  const { data } = await demo.server.call<{ info: { bk_set_id: number }[] }>('POST', '/set/search/0/2', {
    condition: { bk_set_name: 'storefront' },
    fields: ['bk_set_id'],
    page: { start: 0, limit: 1 },
  })
  set = data.info[0]?.bk_set_id ?? 0
  for (const bk_module_name of numbered('slot')) await post(`/module/2/${set}`, { bk_module_name, bk_parent_id: set })
}, 120_000)
afterAll(() => demo.close())

it('says on the overview that there are more businesses, and counts what needs attention among those loaded', async () => {
  const seen = await demo.visit('/')
  const { page } = seen
  await page.getByText('Showing the first 200 of 210. Type part of a name to find the others.').waitFor()
  await page.getByText(/and at least \d+ more modules have no hosts/).waitFor()
  await page.getByText(/^\d+ more modules? without hosts\.$/).waitFor()
  await isSound(seen)
  await picture(page, 'many-overview')
})

it('finds any business by a few letters wherever one is chosen', async () => {
  const seen = await demo.visit('/audit?target=set')
  const { page } = seen
  const choose = async (field: RegExp) => {
    await page.getByRole('button', { name: field }).click()
    await page.getByRole('combobox', { name: 'Find a business' }).waitFor()
    await page.getByText('Showing the first 200 of 210').last().waitFor()
    expect(await page.getByRole('option', { name: 'Web shop' }).count()).toBe(0)
    await page.getByRole('combobox', { name: 'Find a business' }).fill('web s')
    await page.getByRole('option', { name: 'Web shop' }).click()
    await page.getByRole('button', { name: new RegExp(`^Web shop .*${field.source}`) }).waitFor()
  }
  await page.getByText('Web shop').first().waitFor()
  await page.getByRole('button', { name: /Business$/ }).click()
  await page.getByText('Showing the first 200 of 210').waitFor()
  await isSound(seen)
  await picture(page, 'many-audit')
  await page.keyboard.press('Escape')
  await choose(/Business$/)
  expect(new URL(page.url()).searchParams.get('business')).toBe('2')

  await page.goto(`${demo.url}/events`)
  await choose(/Business$/)
  await page.goto(`${demo.url}/events/new`)
  await choose(/Business$/)
  await isSound(seen)
  await page.goto(`${demo.url}/privileges?tab=explain`)
  await choose(/Business$/)
  await page.getByRole('button', { name: /Business$/ }).click()
  await page.getByRole('option', { name: 'Any business' }).click()
  await page.getByRole('button', { name: 'Any business Business' }).waitFor()
  await page.getByRole('button', { name: /^Business: / }).click()
  await page.getByText('Showing the first 200 of 210').waitFor()
  await page.getByRole('combobox', { name: 'Find a business' }).fill('web s')
  await page.getByRole('option', { name: 'Web shop' }).click()
  await page.getByRole('treeitem', { name: 'Web shop' }).waitFor()
})

it('finds any saved query by its name, to open it and to subscribe to it', async () => {
  const seen = await demo.visit('/queries/2')
  const { page } = seen
  await page.getByText('The first 200 of 205').waitFor()
  await picture(page, 'many-queries')
  await page.getByRole('searchbox', { name: 'Find a query' }).fill('PORT 204')
  await page.getByRole('link', { name: 'report 204' }).click()
  await expect.poll(() => page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('report 204')
  await page.getByRole('searchbox', { name: 'Find a query' }).fill('no such')
  await page.getByText('Nothing found').waitFor()
  await page.getByRole('button', { name: 'Subscribe to changes' }).click()
  await page.getByRole('button', { name: 'Remove Query report 204' }).waitFor()
  await page.getByText('The first 200 of 205').waitFor()
  await page.getByRole('searchbox', { name: 'Find an event' }).fill('report 203')
  await page.getByRole('checkbox', { name: 'Query report 203' }).click({ force: true })
  await page.getByRole('button', { name: 'Remove Query report 203' }).waitFor()
  await page.getByRole('button', { name: 'Remove Query report 204' }).waitFor()
  await isSound(seen)
})

it('says in Chinese that there are more modules to move to than are listed', async () => {
  const { page } = await demo.visit(`/topology/2?node=set-${set}`, chinese)
  await page.getByRole('checkbox', { name: '选择 10.0.0.2', exact: true }).click({ force: true })
  await page.getByRole('button', { name: '转移', exact: true }).click()
  await page.getByText(/显示前 60 个，共 \d+ 个/).waitFor()
  await page.getByRole('searchbox', { name: /模块/ }).fill('slot 205')
  await page.getByRole('checkbox', { name: /slot 205/ }).waitFor()
  await picture(page, 'many-move-zh')
})
