import { expect, it } from 'vitest'
import { startServer } from '../../packages/server/src/testing/harness.ts'
import { startReceiver } from '../../packages/server/src/testing/servers/receiver.ts'
import { isSound, picture, sharedBrowser, visit } from './browser.ts'

const patience = 3 * 60_000

it('leads a new user to a receiver of entering and leaving web servers, in under three minutes and without the docs', async () => {
  const [server, browser, receiver] = await Promise.all([
    startServer('sqlite'),
    sharedBrowser(),
    startReceiver({ body: '{"status":"stored"}' }),
  ])
  try {
    const begun = performance.now()
    const seen = await visit(browser, server.url)
    const { page } = seen
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const fill = (name: string, text: string) => page.getByRole('textbox', { name, exact: true }).fill(text)
    const steps = page.getByRole('region', { name: 'First steps' })

    await steps.getByRole('button', { name: 'Create business' }).waitFor()
    await isSound(seen)
    await picture(page, 'first-steps')
    await press('Create business')
    await press('Create')
    await page.getByText('This field is required.').waitFor()
    await fill('Business name', 'Shop')
    await press('Create')
    await page.getByText('Hosts are placed in modules.').waitFor()

    for (const [object, name] of [
      ['set', 'frontend'],
      ['module', 'web'],
    ] as const) {
      await press(`Add ${object}`)
      await page.getByRole('textbox', { name: new RegExp(`^${object} name`, 'i') }).fill(name)
      await press('Create')
      await page.getByRole('heading', { name, exact: true }).waitFor()
    }
    await press('Add hosts')
    await page.getByRole('textbox', { name: 'Hosts' }).fill('10.0.0.1\n10.0.0.2')
    await page.getByRole('dialog').getByRole('button', { name: 'Add hosts' }).click()
    await page.getByRole('link', { name: '10.0.0.2' }).waitFor()

    await page.getByRole('link', { name: 'Overview' }).click()
    await steps.getByRole('heading', { name: 'Add hosts (done)' }).waitFor()
    await steps.getByRole('link', { name: 'Create a query' }).click()
    expect(await page.getByRole('combobox', { name: 'Value' }).getAttribute('placeholder')).toBe('such as web')
    await page.getByRole('combobox', { name: 'Value' }).fill('web')
    const told = page.getByRole('button', { name: 'Subscribe to changes' })
    expect(await told.getAttribute('aria-disabled')).toBe('true')
    await fill('Name', 'web servers')
    await page.getByText('2 hosts', { exact: true }).waitFor()
    await press('Save query')
    await page.getByRole('link', { name: 'web servers' }).waitFor()
    await told.click()

    await page.getByText('Query web servers', { exact: true }).waitFor()
    await fill('Name', 'monitoring')
    await fill('Callback address', receiver.url)
    await press('Subscribe')
    await press('I have stored it')
    await page.getByText('Nothing has been sent yet').waitFor()
    expect(performance.now() - begun).toBeLessThan(patience)

    // One of them leaves the result, and the receiver gets the event.
    await page.getByRole('link', { name: 'Topology' }).click()
    await page.getByRole('treeitem', { name: 'Shop' }).waitFor()
    await page.getByLabel('Select 10.0.0.1').check()
    await press('Move to idle')
    await page.getByRole('dialog').getByRole('button', { name: 'Move to idle' }).click()
    const [push] = await receiver.received(1)
    expect(JSON.parse(push?.body ?? '')).toMatchObject({ obj_type: 'customquery', action: 'delete' })
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('region', { name: 'Event delivery' }).waitFor()
    await expect.poll(() => steps.count()).toBe(0)
    expect(seen.complaints).toEqual([])
  } finally {
    await Promise.all([server.close(), receiver.close()])
  }
})
