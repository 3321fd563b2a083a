import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { entry, infoOf, saveQuery } from '../../packages/server/src/testing/data/queries.ts'
import { readLog } from '../../packages/server/src/testing/inspect/log.ts'
import { type DemoConsole, isSound, openDemo, picture } from './browser.ts'

let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo.close())

const newest = async () => (await readLog(demo.server.service.storage.read)).at(-1)

describe('the message after a change', () => {
  /** Undoes the change that the message names, once its plan is shown. */
  async function undo(page: Page, message: string | RegExp, records: number): Promise<void> {
    const toast = page.locator('.toast').filter({ hasText: message })
    await toast.getByRole('button', { name: 'Undo' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`${records} record${records === 1 ? '' : 's'} will be undone`).waitFor()
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await dialog.waitFor({ state: 'detached' })
  }

  it('undoes changes of the model, which ask for a reason where something is lost', async () => {
    const { call } = demo.server
    const attribute = { bk_obj_id: 'set', bk_property_name: 'Cost', bk_property_type: 'singlechar' }
    await call('POST', '/object/attr', { ...attribute, bk_property_id: 'cost' })
    const { page } = await demo.visit('/model?object=set')
    const row = page.getByRole('row', { name: /^Cost / })
    await page.getByRole('button', { name: 'Delete Cost' }).click()
    const confirm = page.getByRole('alertdialog')
    await confirm.getByRole('textbox', { name: 'Reason' }).fill('never used')
    await confirm.getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'detached' })
    expect(await newest()).toMatchObject({ description: 'delete attribute', reason: 'never used' })
    await undo(page, 'Attribute Cost has been deleted', 1)
    await row.waitFor()

    await page.getByRole('button', { name: 'Insert a level after Site' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Hall')
    await page.getByRole('button', { name: 'Insert level' }).click()
    await page.getByRole('heading', { name: 'Hall' }).waitFor()
    await page.getByRole('button', { name: 'Remove level Hall' }).click()
    await confirm.getByRole('textbox', { name: 'Reason' }).fill('too fine')
    await confirm.getByRole('button', { name: 'Remove level' }).click()
    await confirm.waitFor({ state: 'detached' })
    await page.locator('.toast').filter({ hasText: 'Level Hall has been removed' }).getByRole('button').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Remove level Hall' }).waitFor()
    await call('DELETE', '/topo/model/mainline/owners/0/objectids/hall')
  })

  it('undoes the deletion of a business with all that was in it, and of a group', async () => {
    const { call } = demo.server
    const made = await call<{ bk_biz_id: number }>('POST', '/biz/0', { bk_biz_name: 'Popup' })
    await call('PUT', `/biz/status/disabled/0/${made.data.bk_biz_id}`, {})
    const { page } = await demo.visit('/archived')
    const business = page.getByRole('rowheader', { name: 'Popup' })
    await page.getByRole('row', { name: /Popup/ }).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Their audit records are kept, and can restore them.').waitFor()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await business.waitFor({ state: 'detached' })
    await undo(page, 'Business Popup has been deleted', 1)
    await business.waitFor()

    await call('POST', '/topo/privilege/group/0', { group_name: 'Night shift', user_list: 'zoe' })
    await page.goto(`${demo.url}/privileges?tab=groups`)
    const group = page.getByRole('navigation').getByRole('button', { name: /^Night shift/ })
    await group.click()
    await page.getByRole('button', { name: 'Delete group' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
    await group.waitFor({ state: 'detached' })
    await undo(page, 'Group Night shift has been deleted', 1)
    await group.waitFor()
  })
})

describe('the past of hosts', () => {
  const comment = (host: number, text: string, reason = '') =>
    demo.server.call(
      'PUT',
      '/hosts/batch',
      { bk_host_id: String(host), bk_comment: text },
      { 'X-Change-Reason': encodeURIComponent(reason) },
    )

  it('is shown in the result of a query, which is compared with now', async () => {
    const query = await saveQuery(demo.server, 2, infoOf(entry('host', [['bk_comment', '$eq', 'spare']])))
    await comment(3, 'spare')
    const then = new Date(((await newest()) as { op_time?: number }).op_time ?? 0).toISOString()
    await comment(3, 'in use')
    const seen = await demo.visit(`/queries/2?query=${query}&as_of=${then}`)
    const { page } = seen
    await page.getByText('Read-only: this is the past.').waitFor()
    await page.getByText('1 host', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: /^Save/ }).getAttribute('aria-disabled')).toBe('true')
    await isSound(seen)
    await picture(page, 'queries-past')
    await page.getByRole('link', { name: 'Compare with now' }).click()
    await page.getByRole('status').getByText('1 left').waitFor()
    await page.getByRole('row', { name: /spare in use$/ }).waitFor()
  })

  it('is compared side by side between two moments, and each value names who set it', async () => {
    await comment(4, 'red')
    await comment(4, 'blue', 'repainted')
    const changed = Date.now()
    const seen = await demo.visit('/hosts/4?tab=history')
    const { page } = seen
    await page.getByRole('link', { name: 'Compare two moments' }).click()
    await page.getByText('Choose the earlier moment.').waitFor()
    // Moments are typed in whole seconds.
    await page.waitForFunction((after) => Date.now() > after, changed + 2_000)
    const local = (ms: number) => new Date(ms - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
    await page.getByLabel('Earlier').fill(local(Date.now() - 1_000))
    await page.waitForURL(/from=/)
    await page.getByText('Nothing differs between these moments.').waitFor()
    const log = await readLog(demo.server.service.storage.read)
    const before = log.findLast((record) => record.position < (log.at(-1)?.position ?? 0) - 1)
    await page.goto(`${demo.url}/compare?object=host&instance=4&from=position:${before?.position}`)
    await page.getByRole('row', { name: /blue$/ }).waitFor()
    await isSound(seen)

    await page.goto(`${demo.url}/hosts/4?tab=attributes`)
    const value = page.getByRole('definition').filter({ hasText: 'blue' })
    await value.hover()
    await expect.poll(() => value.getAttribute('title')).toMatch(/^Set by admin, .*: repainted$/)
    await page.getByRole('button', { name: 'Who set these values?' }).click()
    await page.getByText('repainted').first().waitFor()
    await isSound(seen)
  })

  it('is refused in words where the moment is none', async () => {
    const { page } = await demo.visit('/hosts/4?as_of=2999-01-01T00:00:00Z')
    await page
      .getByText(/future/)
      .first()
      .waitFor()
    await page.goto(`${demo.url}/topology/2?as_of=position:99999999`)
    await page
      .getByText(/position/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Back to now' }).click()
    await page.getByRole('treeitem', { name: 'storefront' }).waitFor()
  })
})
