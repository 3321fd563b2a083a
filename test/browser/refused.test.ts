import type { BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { chinese, type DemoConsole, isSound, openDemo, picture } from './browser.ts'

let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo.close())

/** A user who may view everything and change nothing. */
const asKofi = (): BrowserContextOptions => ({
  storageState: {
    cookies: [],
    origins: [{ origin: demo.url, localStorage: [{ name: 'mainline', value: '{"user":"kofi"}' }] }],
  },
})

it('shows disabled actions on the model to users without the privilege, with the reason', async () => {
  const seen = await demo.visit('/model?object=set', asKofi())
  const { page } = seen
  for (const name of [
    'Insert a level after Business',
    'Remove level Region',
    'Edit Set name',
    'Rename group Basic information',
    'Add attribute',
  ]) {
    const button = page.getByRole('button', { name, exact: true }).first()
    await expect.poll(() => button.getAttribute('aria-disabled'), { message: name }).toBe('true')
    await button.focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Shift+Tab')
    await page
      .getByRole('tooltip', { name: 'You need “Model and levels”, from a group. Ask an administrator.' })
      .waitFor()
    await page.keyboard.press('Enter')
    expect(await page.getByRole('dialog').count(), name).toBe(0)
  }
  await isSound(seen)
  await picture(page, 'refused-model')
})

it('explains why built-in parts cannot be deleted, also to users who may change the model', async () => {
  const { page } = await demo.visit('/model?object=set')
  const remove = page.getByRole('button', { name: 'Delete Set name' })
  await expect.poll(() => remove.getAttribute('aria-disabled')).toBe('true')
  await page.mouse.move(600, 600)
  await remove.hover()
  await page.getByRole('tooltip', { name: 'A built-in attribute cannot be deleted.' }).waitFor()
})

it('refuses shortcuts and drops in the tree with the same reasons as buttons', async () => {
  const seen = await demo.visit('/topology/2?node=set-3', asKofi())
  const { page } = seen
  // Until the privileges are loaded nothing is disabled.
  await expect.poll(() => page.getByRole('button', { name: 'Rename' }).getAttribute('aria-disabled')).toBe('true')
  await page.getByRole('tree').focus()
  const isRefused = async (why: string) => {
    const message = page.getByRole('region', { name: 'Messages' }).getByText(why).last()
    await message.waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await message.waitFor({ state: 'detached' })
  }
  await page.keyboard.press('F2')
  await isRefused('You need “Edit topology” in Web shop. Ask amy or ben.')
  await page.keyboard.press('Delete')
  await isRefused('You need “Edit topology” in Web shop. Ask amy or ben.')
  await page.keyboard.press('Home')
  await page.keyboard.press('Delete')
  await isRefused('administrator')
  await page.getByRole('link', { name: '10.0.0.5', exact: true }).waitFor()
  await page
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name: '10.0.0.5', exact: true }) })
    .dragTo(page.getByRole('treeitem', { name: 'resizer' }))
  await page.getByRole('region', { name: 'Messages' }).getByText('You need “Move hosts” in Web shop').waitFor()
  await picture(page, 'refused-drop')
  await isRefused('You need “Move hosts” in Web shop')
  expect(seen.complaints).toEqual([])

  const admin = await demo.visit('/topology/2')
  await admin.page.getByRole('treeitem', { name: 'Idle pool' }).click()
  await admin.page.getByRole('tree').focus()
  await admin.page.keyboard.press('F2')
  await admin.page.getByRole('region', { name: 'Messages' }).getByText('This node is built in').waitFor()
})

it('names the subscribers affected by deleting a query', async () => {
  const saved = async (name: string) => {
    const body = { bk_biz_id: 2, name, info: '{"condition":[]}' }
    return (await demo.server.call<{ id: string }>('POST', '/userapi', body)).data.id
  }
  const [followed, alone] = [await saved('followed'), await saved('alone')]
  const subscribed = await demo.server.call('POST', '/event/subscribe/0/2', {
    subscription_name: 'load balancer',
    callback_url: 'http://127.0.0.1:9/',
    subscription_form: `customquery:${followed}`,
  })
  expect(subscribed.result).toBe(true)
  const { page } = await demo.visit(`/queries/2?query=${followed}`)
  await page.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByText('1 subscription receives an event for every host leaving the result').waitFor()
  await dialog.getByRole('listitem').filter({ hasText: 'load balancer' }).waitFor()
  await picture(page, 'refused-delete')
  await page.goto(`${demo.url}/queries/2?query=${alone}`)
  await page.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByText('No subscription uses its result.').waitFor()
  const reader = await demo.visit(`/queries/2?query=${followed}`, chinese)
  await reader.page.getByRole('button', { name: '删除' }).click()
  await reader.page.getByText('1 个订阅会收到').waitFor()
})
