import { expect, it } from 'vitest'
import { makeBusiness } from '../../packages/server/src/testing/factories.ts'
import { configOf, startServer } from '../../packages/server/src/testing/harness.ts'
import { sharedBrowser, visit } from './browser.ts'
import { expandAll, growTree, scroll, sets, treeShown } from './tree.ts'

const frames = 60

// How long it takes is the bench's to say: npm run bench -- --only console.
it('draws of a tree of 50,000 nodes only what is in sight, and what comes into sight in the frame that shows it', async () => {
  const server = await startServer('sqlite')
  const business = await makeBusiness(server, 'Large')
  await growTree(server.service.storage, business, { language: 'en', zone: configOf(server.store).timezone })
  try {
    const { page, complaints } = await visit(await sharedBrowser(), `${server.url}/topology/${business}`)
    await treeShown(page)
    await expandAll(page)
    await page.getByRole('treeitem', { name: 'module-1', exact: true }).first().waitFor()
    const scrolling = await scroll(page, frames)
    expect(scrolling.moved).toBe(frames)
    expect(scrolling.isFilled).toBe(true)
    expect(scrolling.rows).toBeLessThan(100)

    await page.getByRole('searchbox', { name: 'Find in the tree' }).fill('module-1019')
    await page.getByText(`${sets} matches`).waitFor()
    expect(complaints).toEqual([])
  } finally {
    await server.close()
  }
})
