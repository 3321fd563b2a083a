import { afterAll, beforeAll, expect, it } from 'vitest'
import { chinese, type DemoConsole, isSound, openDemo, picture } from './browser.ts'

let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo()
  const body = { bk_biz_id: 2, bk_capacity: 777, description: 'sells things' }
  await demo.server.call('PUT', '/set/2/3', body)
})
afterAll(() => demo.close())

it('finds who changed a set, shows the differences side by side, and links to the set', async () => {
  const seen = await demo.visit('/audit?view=records')
  const { page } = seen
  await page.getByRole('button', { name: /Resource/ }).click()
  await page.getByRole('option', { name: 'Sets' }).click()
  await page.getByRole('button', { name: /Operation/ }).click()
  await page.getByRole('option', { name: 'Updated' }).click()
  await page.getByText('1 record', { exact: true }).waitFor()
  await page.getByRole('button', { name: /update set/ }).click()
  await page.getByRole('row', { name: /capacity .* 777/i }).waitFor()
  await page.getByRole('row', { name: /sells things/ }).waitFor()
  expect(await page.getByRole('row').count()).toBe(3)
  await isSound(seen)
  await picture(page, 'audit')

  const address = page.url()
  await page.getByRole('link', { name: 'Show in the tree' }).click()
  await page.getByRole('treeitem', { selected: true }).waitFor()
  expect(page.url()).toContain('/topology/2?node=set-3')
  await page.goBack()
  await page.getByRole('row', { name: /capacity .* 777/i }).waitFor()
  expect(page.url()).toBe(address)
})

it('lists changes with a sentence each, their differences in words, and undoes one after showing the plan', async () => {
  const { call } = demo.server
  const move = { bk_biz_id: 2, bk_host_id: [1, 2], bk_module_id: [10], is_increment: false }
  await call('POST', '/hosts/modules', move, { 'x-change-reason': 'CHG-7' })
  await call('PUT', '/set/2/3', { bk_biz_id: 2, bk_set_env: '1' })
  const seen = await demo.visit('/audit')
  const { page } = seen
  // Values are named as in forms: the environment is a choice.
  await page
    .getByRole('button', { name: /updated set storefront/ })
    .first()
    .click()
  await page.getByRole('row', { name: 'Environment Formal Testing' }).waitFor()
  await page.getByRole('button', { name: /moved 2 hosts.*CHG-7/ }).click()
  await page.getByRole('button', { name: /host module change 10\.0\.0\.2/ }).click()
  await page.getByRole('row', { name: /^Modules storefront \/ .* checkout \/ mysql$/ }).waitFor()
  await isSound(seen)
  await picture(page, 'audit-changes')
  // A later change of one of them is a conflict.
  await call('POST', '/hosts/modules', { ...move, bk_host_id: [2], bk_module_id: [11] })
  await page.getByRole('button', { name: 'Undo this change' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('1 record will be undone, all or none; 1 changed later.').waitFor()
  await dialog.getByText(/10\.0\.0\.1/).waitFor()
  await isSound(seen)
  await picture(page, 'audit-undo')
  const undo = dialog.getByRole('button', { name: 'Undo' })
  expect(await undo.getAttribute('aria-disabled')).toBe('true')
  await dialog.getByRole('button', { name: /1 record was changed later/ }).click()
  await page.getByRole('option', { name: 'Leave them as they are' }).click()
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('moved by mistake')
  await undo.click()
  await page.getByText('1 record undone').waitFor()
  await page.getByRole('button', { name: /undo: moved host 10\.0\.0\.1.*moved by mistake/ }).waitFor()
})

it('verifies the seals of the log, and names a record that was modified in the database', async () => {
  const seen = await demo.visit('/audit')
  const { page } = seen
  await page.getByRole('button', { name: 'Verify the log' }).click()
  // A fresh estate is sealed after a minute, or when it has a thousand records.
  await page.getByText(/^(The log is intact|Nothing is sealed yet)\.$/).waitFor()
  await page.getByText(/^[\d,]+ records in \d+ sealed segments?, \d+ not yet sealed\.$/).waitFor()
  await isSound(seen)
  await picture(page, 'audit-verified')

  // Detected whether or not it was sealed by then.
  demo.behindItsBack('UPDATE log SET position = -3 WHERE position = 3')
  await page.getByRole('button', { name: 'Verify the log' }).click()
  await page.getByText('The log is NOT intact: 1 error found.').waitFor()
  await page
    .getByText(/records 1–\d+: (the stored records differ from the sealed ones|records are missing)\.$/i)
    .waitFor()
  await isSound(seen)
  await picture(page, 'audit-broken')
  demo.behindItsBack('UPDATE log SET position = 3 WHERE position = -3')
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByText('The log is NOT intact').waitFor({ state: 'detached' })

  // Users without the audit privilege are informed before trying.
  const other = await demo.visit('/audit', { ...chinese, extraHTTPHeaders: { BK_User: 'mallory' } })
  const button = other.page.getByRole('button', { name: '校验日志' })
  await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true')
})

it('pages through many records', async () => {
  const { page } = await demo.visit('/audit?view=records')
  await page.getByText('1–50 of').waitFor()
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByText('51–').waitFor()
  expect(new URL(page.url()).searchParams.get('start')).toBe('50')
})

it('links records to queries, subscriptions and groups', async () => {
  const { call } = demo.server
  await call('POST', '/userapi', { bk_biz_id: 2, name: 'audited query', info: '{"condition":[]}' })
  const form = { callback_url: 'http://127.0.0.1:9/', subscription_form: 'setcreate' }
  await call('POST', '/event/subscribe/0/0', { ...form, subscription_name: 'audited subscription' })
  await call('POST', '/topo/privilege/group/0', { group_name: 'audited group', user_list: 'olga' })
  const { page } = await demo.visit('/audit')
  const follow = async (target: string, link: string) => {
    await page.goto(`${demo.url}/audit?view=records&target=${target}&type=add`)
    await page.getByRole('button', { name: /audited/ }).click()
    await page.getByRole('link', { name: link }).click()
  }
  await follow('userapi', 'Show the query')
  await expect.poll(() => page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('audited query')
  await follow('subscription', 'Show the subscription')
  await page.getByRole('heading', { name: 'audited subscription' }).waitFor()
  await follow('usergroup', 'Show the group')
  const group = page.getByRole('button', { name: /audited group/ })
  await expect.poll(() => group.getAttribute('aria-current')).toBe('true')
})

it('accepts a first or a last day alone, also west of Greenwich, and an address without any', async () => {
  const seen = await demo.visit('/audit?view=records&target=set', { timezoneId: 'America/New_York' })
  const { page } = seen
  const count = page.locator('header').getByText(/^\d+ records?$/)
  const all = await count.textContent()
  await page.getByLabel('From').fill('2020-01-01')
  await page.waitForURL(/from=2020-01-01/)
  await expect.poll(() => count.textContent()).toBe(all)
  await page.getByLabel('From').fill('2999-01-01')
  await page.getByRole('heading', { name: 'No record matches these filters' }).waitFor()
  await page.goto(`${demo.url}/audit?view=records&target=set&to=2020-01-01`)
  await page.getByRole('heading', { name: 'No record matches these filters' }).waitFor()
  await page.goto(`${demo.url}/audit?view=records&target=set&from=yesterday&to=2999-99-99`)
  await expect.poll(() => count.textContent()).toBe(all)
  expect(seen.complaints).toEqual([])
})

it('reports an empty result, and an invalid filter', async () => {
  const seen = await demo.visit('/audit?view=records&operator=nobody', chinese)
  const { page } = seen
  await page.getByRole('heading', { name: '没有符合条件的记录' }).waitFor()
  await isSound(seen)
  await page.getByRole('textbox', { name: '实例 ID' }).fill('seven')
  await page.getByRole('alert').getByText("'inst_id' 必须是整数").waitFor()
  await page.getByRole('button', { name: '重置筛选' }).click()
  await page
    .getByRole('button', { name: /创建主机/ })
    .first()
    .waitFor()
  await picture(page, 'audit-zh')
})
