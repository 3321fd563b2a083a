// A page of another origin calls the API from a real browser, which enforces CORS.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bearing, makeToken } from '../../packages/server/src/testing/data/identities.ts'
import { startServer, type TestServer } from '../../packages/server/src/testing/harness.ts'
import { sharedBrowser } from './browser.ts'

const pages: Server[] = []
const origins: string[] = []
let server: TestServer
let token: string
beforeAll(async () => {
  for (const path of ['listed', 'other']) {
    const page = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end(path))
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
    pages.push(page)
    origins.push(`http://127.0.0.1:${(page.address() as AddressInfo).port}`)
  }
  server = await startServer('sqlite', { flags: ['--auth=token', `--cors-origins=${origins[0]}`] })
  token = await makeToken(server)
})
afterAll(async () => {
  for (const page of pages) page.close()
  await server.close()
})

/** What a script of the page receives: the answer with its request id, or an error because the browser withholds the answer. */
const search = (page: Page, headers: Record<string, string>, body: string) =>
  page.evaluate(
    async ({ url, init }) => {
      try {
        const answer = await fetch(url, init)
        return { status: answer.status, id: answer.headers.get('cc_request_id'), body: await answer.json() }
      } catch (error) {
        return String(error)
      }
    },
    {
      url: `${server.url}/api/v3/biz/search/0`,
      init: { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body },
    },
  )

async function open(origin: string | undefined): Promise<Page> {
  const context = await (await sharedBrowser()).newContext()
  const page = await context.newPage()
  await page.goto(`${origin}/`)
  return page
}

it('lets scripts of a listed origin send requests, and read answers, errors and the request id', async () => {
  const page = await open(origins[0])
  const found = await search(page, bearing(token), '{}')
  expect(found).toMatchObject({ status: 200, id: expect.stringMatching(/./), body: { result: true } })
  expect(await search(page, bearing(token), '{')).toMatchObject({ status: 400, body: { result: false } })
  expect(await search(page, bearing('wrong'), '{}')).toMatchObject({ status: 401, body: { result: false } })
  await page.context().close()
})

it('withholds answers from scripts of any other origin', async () => {
  const page = await open(origins[1])
  expect(await search(page, bearing(token), '{}')).toBe('TypeError: Failed to fetch')
  await page.context().close()
})
