import { afterAll, beforeAll, expect, it } from 'vitest'
import { chinese, type DemoConsole, isSound, openDemo, picture } from './browser.ts'

let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo.close())

it('adds a set to a site, fills in its form, renames it, and deletes it after showing the effects', async () => {
  const seen = await demo.visit('/topology/2')
  const { page } = seen
  await page.getByRole('treeitem', { name: 'Frankfurt' }).click()
  await page.getByRole('button', { name: 'Add set' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Set name' }).fill('loyalty')
  await dialog.getByRole('textbox', { name: 'Capacity' }).fill('none')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('Must be an integer.').waitFor()
  await isSound(seen)
  await picture(page, 'topology-add')
  await dialog.getByRole('textbox', { name: 'Capacity' }).fill('40')
  await dialog.getByRole('button', { name: /Environment/ }).click()
  await page.getByRole('option', { name: 'Testing' }).click()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await page.getByRole('heading', { name: 'loyalty' }).waitFor()
  expect(await page.getByRole('treeitem', { name: 'loyalty' }).getAttribute('aria-selected')).toBe('true')
  await page.getByRole('tab', { name: 'Attributes' }).click()
  await page.getByRole('definition').filter({ hasText: 'Testing' }).waitFor()

  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Set name' }).fill('vouchers')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'vouchers' }).waitFor()

  await page.getByRole('button', { name: 'Add module' }).click()
  await page.getByRole('textbox', { name: 'Module name' }).fill('worker')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'worker' }).waitFor()

  await page.getByRole('treeitem', { name: 'vouchers' }).click()
  await page.getByRole('tab', { name: 'History' }).click()
  await page.getByRole('button', { name: /update set vouchers/ }).click()
  await page.getByRole('row', { name: 'Set name loyalty vouchers' }).waitFor()
  await isSound(seen)

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('2 instances will be deleted.').waitFor()
  expect(await page.getByRole('alertdialog').getByRole('listitem').allTextContents()).toEqual(['vouchers', 'worker'])
  await picture(page, 'topology-delete')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Frankfurt' }).waitFor()
  await expect.poll(() => page.getByRole('treeitem', { name: 'vouchers' }).count()).toBe(0)
})

it('does not overwrite a concurrent change, and applies to the current version when saved again', async () => {
  const seen = await demo.visit('/topology/2')
  const { page } = seen
  const put = (more: object, reason: string) =>
    demo.server.call('PUT', '/set/2/6', { bk_biz_id: 2, ...more }, { 'x-change-reason': encodeURIComponent(reason) })
  await page.getByRole('treeitem', { name: 'catalogue' }).click()
  await page.getByRole('tab', { name: 'Attributes' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Capacity' }).fill('71')
  await put({ bk_set_desc: 'of another' }, 'CHG-18')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Another user has changed this record since you opened it').waitFor()
  await isSound(seen)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('definition').filter({ hasText: '71' }).waitFor()
  await page.getByRole('definition').filter({ hasText: 'of another' }).waitFor()

  await page.getByRole('tab', { name: 'History' }).click()
  await page
    .getByRole('button', { name: /update set catalogue/ })
    .nth(1)
    .click()
  await page.getByText('CHG-18').waitFor()
  await page.goto(`${new URL(page.url()).origin}/audit?reason=chg-18`)
  await page.getByText('1 record').waitFor()

  await page.goto(`${new URL(page.url()).origin}/topology/2`)
  await page.getByRole('treeitem', { name: 'catalogue' }).click()
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'Set name' }).waitFor()
  await put({ bk_set_desc: 'of another once more' }, 'CHG-19')
  await page.getByRole('textbox', { name: 'Set name' }).fill('goods')
  await page.keyboard.press('Enter')
  await page.getByText('Another user has changed this record since you opened it').waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'goods' }).waitFor()
})

it('counts hosts, searches the tree, supports the keyboard, and keeps the selected node in the address', async () => {
  const seen = await demo.visit('/topology/2')
  const { page } = seen
  const hosts = (name: string) => page.getByRole('treeitem', { name, exact: true }).getAttribute('aria-description')
  await expect.poll(() => hosts('storefront')).toBe('18 hosts')
  // More than 18 together: some run both.
  expect([await hosts('cache'), await hosts('web')]).toEqual(['6 hosts', '8 hosts'])
  await page.getByRole('searchbox', { name: 'Find in the tree' }).fill('MYSQL')
  await page.getByText('2 matches').waitFor()
  await isSound(seen)
  await page.getByRole('searchbox', { name: 'Find in the tree' }).fill('nowhere')
  await page.getByText('No node in this tree matches “nowhere”.').waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByRole('treeitem', { name: 'Asia' }).waitFor()

  await page.getByRole('tree').focus()
  for (const key of ['Home', 'ArrowDown', 'ArrowLeft', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
  await page.getByRole('heading', { name: 'Asia' }).waitFor()
  const address = page.url()
  await page.keyboard.press('c')
  await page.keyboard.press('Enter')
  await page.goBack()
  await page.getByRole('heading', { name: 'Asia' }).waitFor()
  expect(page.url()).toBe(address)
  await picture(page, 'topology')
})

it('shows the error of the server about a change beside the affected field', async () => {
  const { page } = await demo.visit('/topology/2')
  await page.getByRole('treeitem', { name: 'nginx' }).first().click()
  await page.getByRole('heading', { name: 'nginx' }).waitFor()
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: 'Module name' }).fill('resizer')
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('alert').getByText('bk_module_name duplicated').waitFor()
  expect(await page.getByRole('textbox', { name: 'Module name' }).getAttribute('aria-invalid')).toBe('true')
  await page.keyboard.press('Escape')

  // A user without the privilege sees which one is missing before trying.
  await page.getByRole('button', { name: 'Account and display' }).click()
  await page.getByRole('menuitem', { name: 'Act as another user' }).click()
  await page.getByRole('textbox', { name: 'User name' }).fill('mallory')
  await page.keyboard.press('Enter')
  const rename = page.getByRole('button', { name: 'Rename' })
  await expect.poll(() => rename.getAttribute('aria-disabled')).toBe('true')
  await page.mouse.move(600, 600)
  await rename.hover()
  await page.getByRole('tooltip', { name: "needs 'topoupdate' in business 2" }).waitFor()
})

it('explains that the idle pool is built in, and reports a deleted node', async () => {
  const seen = await demo.visit('/topology/2', chinese)
  const { page } = seen
  await page.getByRole('treeitem', { name: '空闲机池' }).click()
  await page.getByRole('button', { name: '重命名' }).hover()
  await page.getByRole('tooltip', { name: '这是内置节点' }).waitFor()
  await isSound(seen)
  await picture(page, 'topology-zh')
  await page.goto(`${demo.url}/topology/2?node=set-99999`)
  await page.getByRole('heading', { name: '该节点已不在树中' }).waitFor()
  await page.goto(`${demo.url}/topology/99999`)
  await page.getByRole('heading', { name: '没有这个业务' }).waitFor()
})
