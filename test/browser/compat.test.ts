import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer } from '../../packages/server/src/testing/harness.ts'
import { type DemoConsole, isSound, openDemo, sharedBrowser, visit } from './browser.ts'

// The console is an ordinary client: it has to accept the answers that clients of bk-cmdb expect.
let demo: DemoConsole
beforeAll(async () => {
  demo = await openDemo(['--compat=bk-cmdb'])
  const body = {
    subscription_name: 'billing',
    callback_url: 'http://127.0.0.1:9/',
    subscription_form: 'hostcreate',
  }
  const { result } = await demo.server.call('POST', '/event/subscribe/0/0', body)
  expect(result).toBe(true)
})
afterAll(() => demo.close())

it('shows its pages', async () => {
  const seen = await demo.visit('/')
  const { page } = seen
  await page.getByRole('link', { name: 'Web shop', exact: true }).waitFor()
  await page.getByText('All events delivered').waitFor()
  await isSound(seen)
  await page.getByRole('link', { name: 'Events' }).click()
  await page.getByRole('link', { name: 'billing' }).click()
  await page.getByRole('heading', { name: 'billing' }).waitFor()
  await isSound(seen)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Go to' }).fill('billi')
  await page.getByRole('option', { name: /billing/ }).waitFor()
  await page.keyboard.press('Escape')
  await page.goto(`${demo.url}/topology/2`)
  await page.getByRole('treeitem', { name: 'Web shop' }).waitFor()
  await page.goto(`${demo.url}/queries/2`)
  await page.getByText(/^1.50 of \d+$/).waitFor()
  await page.goto(`${demo.url}/hosts`)
  await page.getByRole('row', { name: /10\.0\.0\.1\b/ }).waitFor()
  await page.goto(`${demo.url}/audit?target=object`)
  await page
    .getByRole('button', { name: /Europe/ })
    .first()
    .click()
  await page.getByRole('link', { name: 'Show in the tree' }).click()
  await page.getByRole('heading', { name: 'Europe' }).waitFor()
  expect(seen.complaints).toEqual([])
})

it('distinguishes missing records, failures and missing privileges', async () => {
  const { page } = await demo.visit('/topology/999')
  await page.getByRole('heading', { name: 'There is no such business' }).waitFor()
  await page.goto(`${demo.url}/queries/999`)
  await page.getByRole('heading', { name: 'There is no such business' }).waitFor()
  await page.goto(`${demo.url}/queries/2?query=c0ffee00000000000000`)
  await page.getByRole('heading', { name: 'There is no such query' }).waitFor()

  await page.evaluate(() => localStorage.setItem('mainline', JSON.stringify({ language: 'en', user: 'zoe' })))
  await page.goto(demo.url)
  await page.getByRole('region', { name: 'Event delivery' }).getByText('permission denied').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.goto(`${demo.url}/events?tab=live`)
  await page.getByRole('alert').getByText('permission denied').waitFor()
})

it('asks for credentials when the server no longer accepts a token', async () => {
  const server = await startServer('sqlite', { flags: ['--compat=bk-cmdb', '--auth=token'] })
  try {
    const { page } = await visit(await sharedBrowser(), `${server.url}/audit`)
    await page.getByRole('textbox', { name: 'Access token' }).fill('nonsense')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('The server does not accept this token').waitFor()
  } finally {
    await server.close()
  }
})
