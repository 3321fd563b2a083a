import type { Language } from '@mainline/contract'
import { expect, it } from 'vitest'
import { makeBusiness } from '../../../testing/data/factories.ts'
import { putSets } from '../../../testing/data/large.ts'
import { eachEngine, startServer } from '../../../testing/harness.ts'
import { caughtUp } from '../../../testing/inspect/past.ts'
import { measured } from '../../../testing/measured.ts'
import { findBusiness } from '../businesses/hold.ts'
import { type TreeNode, treePage } from './tree.ts'

/** CPU time of this thread, in milliseconds, which other load does not affect. */
function busy(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since)
  return (user + system) / 1_000
}

/** The longest time that this thread runs without yielding. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let isWorking = true
  let before = process.threadCpuUsage()
  const watch = () => {
    longest = Math.max(longest, busy(before))
    before = process.threadCpuUsage()
    if (isWorking) setImmediate(watch)
  }
  setImmediate(watch)
  await work()
  isWorking = false
  watch()
  return longest
}

const count = (nodes: TreeNode[]): number => nodes.reduce((sum, node) => sum + 1 + count(node.child), 0)

eachEngine((engine) => {
  it('yields often while a large tree is built, with the same result', measured, async () => {
    const server = await startServer(engine)
    const { storage } = server.service
    const id = await makeBusiness(server)
    await putSets(server, id, 4_000, 9)
    // The background task that derives the past takes turns of the same event loop.
    await caughtUp(server)
    const business = await findBusiness(storage.read, '0', id)
    for (const from of [undefined, { object: 'biz', id }]) {
      const build = (language: Language, withDefault: boolean) =>
        treePage(storage, '0', business, { language, depth: undefined, withDefault, ...(from && { from }) })
      // Each tree is built without the cache. One turn may include a garbage collection of any length.
      const longest: number[] = []
      for (const language of ['en', 'zh-cn'] as const) {
        for (const withDefault of [false, true]) longest.push(await longestTurn(() => build(language, withDefault)))
      }
      const text = (await build('en', true)).saying('').bytes.toString()

      const before = process.threadCpuUsage()
      const answer = JSON.parse(text)
      expect(text === JSON.stringify(answer)).toBe(true)
      // Reading and rendering the same tree without yielding: the baseline on this machine.
      const atOnce = busy(before)
      expect(Math.min(...longest)).toBeLessThan(atOnce)
      // With the business, its idle pool and the two modules in it.
      expect(count(answer.data)).toBe(40_000 + 4)
      const sets = answer.data[0].child.map((set: TreeNode) => set.bk_inst_name)
      expect(sets).toEqual(sets.toSorted())
    }
    await server.close()
  })
})
