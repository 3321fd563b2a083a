import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { putDemo } from '../../packages/server/src/testing/demo.ts'
import { makeStore, startServer, type TestServer } from '../../packages/server/src/testing/harness.ts'
import { endWithSignal } from '../../packages/server/src/testing/process.ts'
import { launchBrowser } from './launch.ts'

let shared: Promise<Browser> | undefined

/** One for all tests of this process, and gone with it. What a test has opened in it is closed when the test ends. */
export function sharedBrowser(): Promise<Browser> {
  endWithSignal()
  shared ??= launchBrowser()
  return shared
}

export interface Visit {
  readonly page: Page
  /** Everything the page's console complained about, and every request to anywhere else. */
  readonly complaints: string[]
}

/** What is asked arrives after up to so many milliseconds, in any order: shows which test only passes because answers are fast. */
const delay = (context: BrowserContext, most: number) =>
  context.route('**/*', async (route) => {
    await sleep(Math.random() * most)
    // The page may have gone by then.
    await route.continue().catch(() => {})
  })

/** Opens a page as somebody who has never been here. */
export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const viewport = { width: 1280, height: 800 }
  const context = await browser.newContext({ viewport, locale: 'en-GB', ...options })
  onTestFinished(async ({ task }) => {
    // What was to be seen when a test failed; it may never fail here again.
    if (task.result?.state === 'fail')
      process.stderr.write(`${page.url()}\n${await page.locator('body').innerText()}\n`)
    await context.close()
  })
  if (process.env.SLOW_NETWORK) await delay(context, Number(process.env.SLOW_NETWORK))
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    // A refusal of the server is also told by the browser itself; the page shows it, which is what is tested.
    const refusal = /^Failed to load resource.*status of (4\d\d|502)/.test(message.text())
    if (['error', 'warning'].includes(message.type()) && !refusal) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) complaints.push(`request to ${request.url()}`)
  })
  page.setDefaultTimeout(60_000)
  await page.goto(url)
  return { page, complaints }
}

export const chinese: BrowserContextOptions = { locale: 'zh-CN', colorScheme: 'dark' }

export interface DemoConsole {
  readonly url: string
  readonly server: TestServer
  visit(path: string, options?: BrowserContextOptions): Promise<Visit>
  /** A statement that the server knows nothing of. */
  behindItsBack(sql: string): void
  close(): Promise<void>
}

/** The console of the demo estate, in a real browser. */
export async function openDemo(flags: string[] = []): Promise<DemoConsole> {
  const store = await makeStore('sqlite')
  await putDemo(store.dataDir)
  const [browser, server] = await Promise.all([sharedBrowser(), startServer('sqlite', { store, flags })])
  const { url } = server
  return {
    url,
    server,
    visit: (path, options) => visit(browser, url + path, options),
    behindItsBack(sql) {
      // Past the rules, but by the server's own connection: what another program writes stops all changes.
      void server.service.storage.engine.script(sql)
    },
    async close() {
      await server.close()
      store.remove()
    },
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Nothing that keeps people out who cannot see or cannot use a mouse; and nothing to complain about. */
export async function isSound({ page, complaints }: Visit): Promise<void> {
  await page.evaluate(axe)
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(options: object): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>
      }
    }
    // To describe all that is well, too, takes longer than to find what is not.
    const { violations } = await axe.run({ resultTypes: ['violations'], selectors: false })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
  })
  expect(found).toEqual([])
  expect(complaints).toEqual([])
}

/** Keeps pictures of the page when SCREENSHOTS names a folder: at two widths, light and dark. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return
  const before = page.viewportSize()
  for (const [width, height] of [
    [1280, 800],
    [1600, 1000],
  ] as const) {
    await page.setViewportSize({ width, height })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}-${width}-${colorScheme}.png` })
    }
  }
  await page.emulateMedia({ colorScheme: null })
  if (before) await page.setViewportSize(before)
}
