import type { Page } from 'playwright-core'
import type { PageDocument, RequestFrame } from '../test/browser/in-page.ts'
import { launchBrowser } from '../test/browser/launch.ts'
import { expandAll, growTree, scroll, treeShown } from '../test/browser/tree.ts'
import { type Server, startMainline } from './child.ts'
import { type Spread, spreadOf } from './compare.ts'
import type { Circumstances, Row } from './row.ts'
import { fill, loadDemo, makeStore, type Store, within } from './store.ts'

declare const document: PageDocument
declare const requestAnimationFrame: RequestFrame

const frames = 60

/** Response times of the console, in a real browser. They do not depend on the engine, so one is measured. */
export const browsing: Row = {
  name: 'console',
  async run(circumstances) {
    const { engine, plan } = circumstances
    if (engine !== 'sqlite') return []
    const tree = await withPage(circumstances, growing, (server, page) => trees(server, page, plan.repetitions))
    const hosts = (store: Store) => loadDemo(store, plan.hosts)
    const turning = await withPage(circumstances, hosts, (server, page) => pages(server, page, plan.repetitions))
    const time = { engine, unit: 'ms' } as const
    const estate = `${plan.hosts.toLocaleString('en')} hosts`
    return [
      { ...time, key: 'console_expand', work: 'tree of 50,000 nodes, expanded', atMost: 100, value: tree.expanding },
      {
        ...time,
        key: 'console_frame',
        work: 'tree of 50,000 nodes, a frame of scrolling',
        atMost: 20,
        value: tree.frame,
      },
      { ...time, key: 'console_page', work: `next page of ${estate}, click to shown`, atMost: 100, value: turning },
    ]
  },
}

const business = 2

async function growing(store: Store): Promise<void> {
  await fill(store, 1, 0)
  await within(store, (storage, showing) => growTree(storage, business, showing, 1_020))
}

async function withPage<T>(
  { engine, postgresUrl, profiles }: Circumstances,
  prepare: (store: Store) => void | Promise<void>,
  measure: (server: Server, page: Page) => Promise<T>,
): Promise<T> {
  const store = await makeStore(engine, postgresUrl)
  await prepare(store)
  const [server, browser] = await Promise.all([startMainline(store.flags, profiles), launchBrowser()])
  try {
    return await measure(server, await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' }))
  } finally {
    await Promise.all([browser.close(), server.stop()])
    store.remove()
  }
}

async function trees(
  { port }: Server,
  page: Page,
  repetitions: number,
): Promise<Record<'expanding' | 'frame', Spread>> {
  const expanding: number[] = []
  const frame: number[] = []
  for (let turn = 0; turn < repetitions; turn++) {
    await page.goto(`http://127.0.0.1:${port}/topology/${business}`)
    await treeShown(page)
    expanding.push(await expandAll(page))
    await page.getByRole('treeitem', { name: 'module-1', exact: true }).first().waitFor()
    frame.push((await scroll(page, frames)).frame)
  }
  return { expanding: spreadOf(expanding), frame: spreadOf(frame) }
}

/** Milliseconds from the click on "Next page" to the frame that shows its hosts. */
async function pages({ port }: Server, page: Page, repetitions: number): Promise<Spread> {
  await page.goto(`http://127.0.0.1:${port}/hosts`)
  await page.locator('.host-table tbody tr').first().waitFor()
  const times: number[] = []
  for (let turn = 0; turn < repetitions; turn++) {
    // The pointer hovers first and clicks later, as a person does, who is not faster than this.
    await page.getByRole('button', { name: 'Next page' }).hover()
    await page.waitForTimeout(200)
    times.push(
      await page.evaluate(async () => {
        const first = () => document.querySelector('.host-table tbody tr a')?.textContent
        const before = first()
        const begun = performance.now()
        document.querySelector('[aria-label="Next page"]')?.click()
        while (first() === before) await new Promise<void>((resolve) => requestAnimationFrame(resolve))
        await new Promise((resolve) => setTimeout(resolve))
        return performance.now() - begun
      }),
    )
  }
  return spreadOf(times)
}
