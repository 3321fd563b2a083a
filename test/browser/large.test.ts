import { expect, it } from 'vitest'
import { makeBusiness } from '../../packages/server/src/testing/data/factories.ts'
import { configOf, startServer } from '../../packages/server/src/testing/harness.ts'
import { sharedBrowser, visit } from './browser.ts'
import { expandAll, growTree, scroll, sets, treeShown } from './tree.ts'

const frames = 60
/** 10,000 nodes, more than the frames of the test scroll past. */
const modulesInSet = 203

// Its duration is measured by the bench: npm run bench -- --only console.
it('renders only the visible rows of a tree of 10,000 nodes, and new ones in the frame in which they become visible', async () => {
  const server = await startServer('sqlite')
  const business = await makeBusiness(server, 'Large')
  const showing = { language: 'en', zone: configOf(server.store).timezone } as const
  await growTree(server.service.storage, business, showing, modulesInSet)
  try {
    const { page, complaints } = await visit(await sharedBrowser(), `${server.url}/topology/${business}`)
    await treeShown(page)
    await expandAll(page)
    await page.getByRole('treeitem', { name: 'module-1', exact: true }).first().waitFor()
    const scrolling = await scroll(page, frames)
    expect(scrolling.moved).toBe(frames)
    expect(scrolling.isFilled).toBe(true)
    expect(scrolling.rows).toBeLessThan(100)

    await page.getByRole('searchbox', { name: 'Find in the tree' }).fill(`module-${modulesInSet}`)
    await page.getByText(`${sets} matches`).waitFor()
    expect(complaints).toEqual([])
  } finally {
    await server.close()
  }
})
