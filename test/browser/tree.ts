import type { Page } from 'playwright-core'
import type { Showing } from '../../packages/server/src/areas/model/index.ts'
import { createModules, createSets } from '../../packages/server/src/areas/topology/index.ts'
import type { Storage } from '../../packages/server/src/storage/index.ts'
import type { PageDocument, RequestFrame } from './in-page.ts'

declare const document: PageDocument
declare const requestAnimationFrame: RequestFrame

/** A large tree, and the actions of a user in it. */
export const sets = 49
const actor = { user: 'admin', account: '0', requestId: 'large' }
const names = (what: string, count: number) => Array.from({ length: count }, (_, index) => `${what}-${index + 1}`)

export async function growTree(storage: Storage, bizId: number, showing: Showing, modulesInSet: number): Promise<void> {
  const wanted = names('set', sets).map((name) => ({ bk_set_name: name }))
  for (const set of await storage.change(actor, (tx) => createSets(tx, bizId, bizId, wanted, showing))) {
    const ids = { bizId, setId: set.bk_set_id as number }
    const modules = names('module', modulesInSet).map((name) => ({ bk_module_name: name }))
    await storage.change(actor, (tx) => createModules(tx, ids, modules, showing), { bulk: true })
  }
}

/** All requests of the page are answered: everything after this is rendering. */
export async function treeShown(page: Page): Promise<void> {
  await page.getByRole('treeitem').first().waitFor()
  await page.locator('.tree-count').first().waitFor()
  await page.getByRole('heading', { name: 'No hosts here' }).waitFor()
}

/** Milliseconds from the click to the frame that shows the result. */
export const expandAll = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const button = document.querySelector('.tree-tools .button:nth-last-child(2)')
    const begun = performance.now()
    button?.click()
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    return performance.now() - begun
  })

interface Scrolling {
  /** Milliseconds of each frame. */
  readonly frame: number
  /** Frames that showed different rows than the previous one, of `frames`. */
  readonly moved: number
  readonly isFilled: boolean
  /** Number of rows rendered at the end. */
  readonly rows: number
}

/** Every frame scrolls by more than the visible part, so that no row is seen twice. */
export const scroll = (page: Page, frames: number): Promise<Scrolling> =>
  page.evaluate(async (frames) => {
    const tree = document.querySelector('.tree')
    if (!tree) throw new Error('no tree is shown')
    const atTop = () => tree.querySelector('.tree-row')?.id
    // Scrolls between frames, as a user does: the rows must be in the next frame.
    const framePainted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    let moved = 0
    const begun = performance.now()
    for (let frame = 0; frame < frames; frame++) {
      const before = { top: tree.scrollTop, row: atTop() }
      tree.scrollTop += 1_000
      await framePainted()
      if (tree.scrollTop === before.top + 1_000 && atTop() !== before.row) moved++
    }
    const frame = (performance.now() - begun) / frames
    const { left, top, width, height } = tree.getBoundingClientRect()
    const isRow = (y: number) => document.elementFromPoint(left + width / 2, y)?.closest('.tree-row') != null
    return {
      frame,
      moved,
      isFilled: [top + 2, top + height / 2, top + height - 2].every(isRow),
      rows: tree.querySelectorAll('.tree-row').length,
    }
  }, frames)
