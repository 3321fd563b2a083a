import type { Browser } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { makeStore, startServer } from '../../packages/server/src/testing/harness.ts'
import { runCommand, spawnServer } from '../../packages/server/src/testing/process.ts'
import { freePort } from '../../packages/server/src/testing/servers/postgres.ts'
import { client, startProvider } from '../../packages/server/src/testing/servers/provider.ts'
import { chinese, isSound, picture, sharedBrowser, visit } from './browser.ts'
import type { PageDocument } from './in-page.ts'

declare const document: PageDocument

let browser: Browser
beforeAll(async () => {
  browser = await sharedBrowser()
})

it('asks for a token in token mode, explains an invalid one, and accepts a valid one', async () => {
  const store = await makeStore('sqlite')
  const made = await runCommand(['token', 'create', '--user', 'admin', ...store.flags])
  const [token = ''] = /\S{30,}/.exec(made.output) ?? []
  const server = await startServer('sqlite', { store, flags: ['--auth=token'] })
  try {
    const seen = await visit(browser, `${server.url}/audit`)
    const { page } = seen
    const enter = async (text: string) => {
      await page.getByRole('textbox', { name: 'Access token' }).fill(text)
      await page.keyboard.press('Enter')
    }
    await page.getByRole('textbox', { name: 'Access token' }).waitFor()
    await isSound(seen)
    await picture(page, 'sign-in')
    await enter('nonsense')
    await page.getByRole('alert').waitFor()
    await enter(token)
    await page.getByRole('heading', { name: 'Audit' }).waitFor()

    // A token that expires while a form is open: signing in again keeps the form.
    await page.goto(`${server.url}/`)
    await page.getByRole('button', { name: 'Create business' }).click()
    await page.getByRole('textbox', { name: 'Business name' }).fill('kept')
    let isExpired = true
    await page.route('**/api/v3/**', (route) =>
      isExpired
        ? route.continue({ headers: { ...route.request().headers(), authorization: 'Bearer expired' } })
        : route.continue(),
    )
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('alertdialog', { name: 'Sign in again' }).waitFor()
    await isSound(seen)
    await picture(page, 'sign-in-again')
    await enter('nonsense')
    await page.getByText('The server does not accept this token').waitFor()
    isExpired = false
    await enter(token)
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    expect(await page.getByRole('textbox', { name: 'Business name' }).inputValue()).toBe('kept')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('treeitem', { name: 'kept' }).waitFor()

    await page.getByRole('button', { name: 'Account and display: admin' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('textbox', { name: 'Access token' }).waitFor()
  } finally {
    await server.close()
    store.remove()
  }
})

it('sends users to the provider of their company, and back to the page they were on', async () => {
  const url = `http://127.0.0.1:${await freePort()}`
  const provider = await startProvider(`${url}/login/callback`)
  const store = await makeStore('sqlite')
  const server = await spawnServer(store, [
    '--auth=oidc',
    `--oidc-issuer=${provider.issuer}`,
    `--oidc-client-id=${client.id}`,
    `--oidc-client-secret=${client.secret}`,
    '--admins=amy.name',
    `--url=${url}`,
    `--port=${new URL(url).port}`,
  ])
  try {
    const seen = await visit(browser, `${url}/audit?operator=amy.name`)
    const { page, complaints } = seen
    await page.getByRole('link', { name: 'Sign in' }).waitFor()
    await isSound(seen)
    await picture(page, 'sign-in-oidc')
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Audit' }).waitFor()
    expect(page.url()).toBe(`${url}/audit?operator=amy.name`)
    // The browser visits another origin only to sign in.
    expect(complaints.filter((each) => !each.startsWith(`request to ${provider.issuer}/`))).toEqual([])
    expect(await page.evaluate(() => document.cookie)).toBe('')

    await page.getByRole('button', { name: 'Account and display: amy.name' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('link', { name: 'Sign in' }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'Sign in' }).waitFor()
  } finally {
    await server.end('SIGTERM')
    await provider.close()
    store.remove()
  }
})

it('trusts the proxy in front of it, and says in Chinese when that names no user', async () => {
  const server = await startServer('sqlite', { flags: ['--auth=proxy', '--proxies=127.0.0.1'] })
  try {
    const named = await visit(browser, `${server.url}/audit`, { extraHTTPHeaders: { BK_User: 'amy' } })
    await named.page.getByRole('heading', { name: 'Audit' }).waitFor()
    await named.page.getByRole('button', { name: 'Account and display: amy' }).click()
    await named.page.getByRole('menuitem', { name: 'Documentation' }).waitFor()
    expect(await named.page.getByRole('menuitem', { name: 'Sign out' }).count()).toBe(0)
    expect(named.complaints).toEqual([])
    const unnamed = await visit(browser, `${server.url}/audit`, chinese)
    await unnamed.page.getByRole('heading', { name: '登录' }).waitFor()
    await isSound(unnamed)
  } finally {
    await server.close()
  }
})
