import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { chinese, type DemoConsole, isSound, openDemo, picture } from './browser.ts'

let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo.close())

it('lets developers move hosts by ticking a box, and explains why one of them may', async () => {
  const seen = await demo.visit('/privileges')
  const { page } = seen
  const box = page.getByRole('checkbox', { name: 'Developers: Move hosts' })
  await expect.poll(() => box.isEnabled()).toBe(true)
  expect(await box.isChecked()).toBe(false)
  await box.click({ force: true })
  await page.getByText('Developers has been updated').waitFor()
  expect(await box.isChecked()).toBe(true)
  await isSound(seen)
  await picture(page, 'privileges')

  await page.getByRole('tab', { name: 'Who may do what' }).click()
  await page.getByRole('textbox', { name: 'User' }).fill('ivan')
  await page.getByRole('button', { name: /Action$/ }).click()
  await page.getByRole('combobox', { name: 'Find an action' }).fill('move')
  await page.getByRole('option', { name: 'Move hosts to other modules' }).click()
  await page.getByRole('button', { name: /Business$/ }).click()
  await page.getByRole('option', { name: 'Payments' }).click()
  await page.getByRole('heading', { name: 'No', exact: true }).waitFor()
  await page.getByRole('button', { name: /Business$/ }).click()
  await page.getByRole('option', { name: 'Web shop' }).click()
  await page.getByRole('heading', { name: 'Yes', exact: true }).waitFor()
  await isSound(seen)
  await picture(page, 'privileges-explain')
})

it('names common actions in Chinese, and other operations without their summaries, which exist in English only', async () => {
  const { page } = await demo.visit('/privileges?tab=explain', chinese)
  await page.getByRole('button', { name: /操作$/ }).click()
  await page.getByRole('option', { name: '将主机转移到其他模块 transfer_host_module' }).waitFor()
  await page.getByRole('option', { name: 'search_set', exact: true }).waitFor()
})

async function createGroup(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: '创建用户组' }).click()
  await page.getByRole('textbox', { name: '名称' }).fill(name)
  await page.getByRole('textbox', { name: '成员' }).fill('olga, nora')
  await page.getByRole('button', { name: '创建', exact: true }).click()
}

it('does not overwrite grants that were changed concurrently, unless they are saved again', async () => {
  const { page } = await demo.visit('/privileges?tab=groups', chinese)
  await page.getByRole('button', { name: '创建用户组' }).waitFor()
  await createGroup(page, '值班')
  await page.getByRole('button', { name: /值班/ }).click()
  await page.getByRole('checkbox', { name: '交换机：查询' }).click({ force: true })
  const groups = '/topo/privilege/group'
  const found = await demo.server.call<[{ group_id: string }]>('POST', `${groups}/0/search`, { group_name: '值班' })
  const path = `${groups}/detail/0/${found.data[0].group_id}`
  await demo.server.call('POST', path, { back_config: ['event'] })
  // After any change the page reloads what it shows.
  const reloaded = page.waitForResponse((response) => {
    return response.url().endsWith(path) && response.request().method() === 'GET'
  })
  await createGroup(page, '替班')
  await page.getByRole('button', { name: /替班/ }).waitFor()
  await reloaded
  await page.getByRole('button', { name: '保存' }).click()
  await page.getByRole('alert').waitFor()
  expect((await demo.server.call<{ back_config: string[] }>('GET', path)).data.back_config).toEqual(['event'])
  await page.getByRole('button', { name: '保存' }).click()
  await page.getByText('用户组的权限已保存').waitFor()
  expect((await demo.server.call<{ back_config: string[] }>('GET', path)).data.back_config).toEqual([])
})

it('grants a group of users the audit and the switches', async () => {
  const seen = await demo.visit('/privileges?tab=groups', chinese)
  const { page } = seen
  await page.getByRole('button', { name: '创建用户组' }).waitFor()
  const create = (name: string) => createGroup(page, name)
  await create('审计员')
  await page.getByRole('button', { name: /审计员/ }).click()
  await page.getByRole('checkbox', { name: '所有业务的审计' }).click({ force: true })
  await page.getByRole('checkbox', { name: '交换机：查询' }).click({ force: true })
  await page.getByRole('button', { name: '保存' }).click()
  await page.getByText('用户组的权限已保存').waitFor()
  await isSound(seen)
  await picture(page, 'privileges-zh')
  await page.reload()
  await expect.poll(() => page.getByRole('checkbox', { name: '交换机：查询' }).isChecked()).toBe(true)

  await create('审计员')
  await page.getByRole('alert').getByText('存在重复的实例').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: '放弃' }).click()
  await page.getByRole('button', { name: '删除用户组' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: '删除' }).click()
  await expect.poll(() => page.getByRole('button', { name: /审计员/ }).count()).toBe(0)
})

it('gives a group of users a role in one business', async () => {
  const seen = await demo.visit('/topology/2?tab=people')
  const { page } = seen
  const testers = page.getByRole('list', { name: 'Testers' })
  const add = page.getByRole('combobox', { name: 'Add to Testers' })
  await add.fill('@switch keepers, olga')
  await page.locator('form', { has: add }).getByRole('button', { name: 'Add' }).click()
  await testers.getByRole('link', { name: '@switch keepers' }).waitFor()
  await testers.getByText('olga').waitFor()
  await isSound(seen)
  await picture(page, 'people')
  const may = async () => {
    const path = '/topo/privilege/explain/0/rosa?operation=update_business&bk_biz_id=2'
    return (await demo.server.call<{ allowed: boolean }>('GET', path)).data.allowed
  }
  expect(await may()).toBe(false)
  await demo.server.call('POST', '/topo/privilege/0/biz/bk_biz_tester', ['topoupdate'])
  expect(await may()).toBe(true)
  await page.getByRole('button', { name: 'Remove @switch keepers from Testers' }).click()
  await expect.poll(() => testers.getByRole('link').count()).toBe(0)
  expect(await may()).toBe(false)
})
