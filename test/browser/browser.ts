import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished, type RunnerTestCase as Test } from 'vitest'
import { putDemo } from '../../packages/server/src/testing/data/demo.ts'
import { isFull } from '../../packages/server/src/testing/full.ts'
import { makeStore, startServer, type TestServer } from '../../packages/server/src/testing/harness.ts'
import { endWithSignal } from '../../packages/server/src/testing/process.ts'
import { launchBrowser } from './launch.ts'

let shared: Promise<Browser> | undefined

/** One browser for all tests of this process; what a test has opened is closed when the test ends. */
export function sharedBrowser(): Promise<Browser> {
  endWithSignal()
  shared ??= launchBrowser()
  return shared
}

interface Visit {
  readonly page: Page
  /** Errors in the page's console, and requests to other servers. */
  readonly complaints: string[]
}

/** Delays each request randomly by up to so many milliseconds: reveals tests that pass only because answers are fast. */
const delay = (context: BrowserContext, most: number) =>
  context.route('**/*', async (route) => {
    await sleep(Math.random() * most)
    // The page may be closed by then.
    await route.continue().catch(() => {})
  })

/** Opens a page as a first-time visitor. */
export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const page = await openPage(browser, options)
  onTestFinished(async ({ task }) => {
    await reportFailure(page, task)
    await page.context().close()
  })
  return watch(page, url)
}

const usual = { viewport: { width: 1280, height: 800 }, locale: 'en-GB', colorScheme: 'light' } as const

async function openPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ ...usual, ...options })
  if (process.env.SLOW_NETWORK) await delay(context, Number(process.env.SLOW_NETWORK))
  return context.newPage()
}

/** Address and text of a page at the failure of a test, which may not be reproducible. */
async function reportFailure(page: Page, { result }: Test): Promise<void> {
  if (result?.state === 'fail') process.stderr.write(`${page.url()}\n${await page.locator('body').innerText()}\n`)
}

async function watch(page: Page, url: string): Promise<Visit> {
  const complaints: string[] = []
  page.on('console', (message) => {
    // The browser also logs errors of the server; the page shows them, which is what is tested.
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

/**
 * Pages of the tests of one server: a page that has compiled the console opens it again in 0.15 s of CPU time, and the first page of a new
 * context in 0.74 s. A test may close its page, which is then not used again: one whose clock has been replaced, for example.
 */
function openPages(browser: Browser) {
  const unused = new Map<string, Page[]>()
  return {
    /** For a visitor as new as that of `visit`. */
    async visit(url: string, options: BrowserContextOptions = {}): Promise<Visit> {
      const key = JSON.stringify(options)
      const page = unused.get(key)?.pop() ?? (await openPage(browser, options))
      onTestFinished(async ({ task }) => {
        await reportFailure(page, task)
        // Storage that a context begins with is not restored once it has been cleared.
        const isUsedUp = page.isClosed() || options.storageState !== undefined
        if (task.result?.state === 'fail' || isUsedUp) return page.context().close()
        await forgetVisit(page, { ...usual, ...options })
        unused.set(key, [...(unused.get(key) ?? []), page])
      })
      return watch(page, url)
    },
    async close(): Promise<void> {
      for (const page of [...unused.values()].flat()) await page.context().close()
    },
  }
}

async function forgetVisit(page: Page, { viewport, colorScheme }: BrowserContextOptions): Promise<void> {
  page.removeAllListeners()
  // Leaving a form asks whether to discard it.
  page.on('dialog', (dialog) => dialog.accept())
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
  })
  await page.goto('about:blank')
  await page.context().clearCookies()
  if (viewport) await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme: colorScheme ?? null, media: null, reducedMotion: null })
  page.removeAllListeners()
}

export const chinese: BrowserContextOptions = { locale: 'zh-CN', colorScheme: 'dark' }

export interface DemoConsole {
  readonly url: string
  readonly server: TestServer
  visit(path: string, options?: BrowserContextOptions): Promise<Visit>
  /** A statement that the server is not aware of. */
  behindItsBack(sql: string): void
  close(): Promise<void>
}

/** The console of the demo estate, in a real browser. */
export async function openDemo(flags: string[] = []): Promise<DemoConsole> {
  const store = await makeStore('sqlite')
  await putDemo(store.dataDir)
  const [browser, server] = await Promise.all([sharedBrowser(), startServer('sqlite', { store, flags })])
  const { url } = server
  const pages = openPages(browser)
  return {
    url,
    server,
    visit: (path, options) => pages.visit(url + path, options),
    behindItsBack(sql) {
      // Bypasses the rules through the server's own connection: a write by another program would stop all changes.
      void server.service.storage.engine.script(sql)
    },
    async close() {
      await pages.close()
      await server.close()
      store.remove()
    },
  }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** axe computes contrast by examining every element, which takes as long as all other rules together. */
type Rules = 'all' | 'contrast' | 'without contrast'

/** Accessible without sight or a mouse, and without errors of the browser. */
export async function isSound(
  { page, complaints }: Visit,
  rules: Rules = isFull ? 'all' : 'without contrast',
): Promise<void> {
  // Parsing its source takes 0.3 s of CPU time, so it is kept per document.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  const found = await page.evaluate(async (rules) => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(options: object): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>
      }
    }
    const chosen = {
      all: {},
      contrast: { runOnly: { type: 'rule', values: ['color-contrast'] } },
      'without contrast': { rules: { 'color-contrast': { enabled: false } } },
    }
    // Describing passed checks takes longer than finding failed ones.
    const { violations } = await axe.run({ ...chosen[rules], resultTypes: ['violations'], selectors: false })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
  }, rules)
  expect(found).toEqual([])
  expect(complaints).toEqual([])
}

/** Takes screenshots if SCREENSHOTS names a folder: at three widths, light and dark. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return
  const before = page.viewportSize()
  for (const [width, height] of [
    [390, 844],
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
