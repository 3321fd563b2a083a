import { expect, it } from 'vitest'
import { makeBusiness } from '../../testing/factories.ts'
import { eachEngine, startServer } from '../../testing/harness.ts'
import { putSets } from '../../testing/large.ts'
import { findBusiness } from './hold.ts'
import { type TreeNode, treePage } from './tree.ts'

/** Nothing may hold the event loop longer, in milliseconds. */
const eventLoopBudget = 50

/** The longest that this thread goes on before others get their turn, in milliseconds of its own processor time. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let before = process.threadCpuUsage()
  const watch = () => {
    const { user, system } = process.threadCpuUsage(before)
    longest = Math.max(longest, (user + system) / 1_000)
    before = process.threadCpuUsage()
    next = setImmediate(watch)
  }
  let next = setImmediate(watch)
  await work()
  watch()
  clearImmediate(next)
  return longest
}

const count = (nodes: TreeNode[]): number => nodes.reduce((sum, node) => sum + 1 + count(node.child), 0)

eachEngine((engine) => {
  it('never holds the event loop longer than its budget while a large tree is built, and writes it as ever', async () => {
    const server = await startServer(engine)
    const { storage } = server.service
    const id = await makeBusiness(server)
    await putSets(server, id, 4_000, 9)
    const business = await findBusiness(storage.read, '0', id)
    for (const from of [undefined, { object: 'biz', id }]) {
      const question = { language: 'en', depth: undefined, withDefault: true, ...(from && { from }) } as const
      const longest = await longestTurn(() => treePage(storage, '0', business, question))
      expect(longest).toBeLessThan(eventLoopBudget)

      const text = (await treePage(storage, '0', business, question)).saying('').bytes.toString()
      const answer = JSON.parse(text)
      expect(text === JSON.stringify(answer)).toBe(true)
      // With the business, its idle pool and the two modules in it.
      expect(count(answer.data)).toBe(40_000 + 4)
      const sets = answer.data[0].child.map((set: TreeNode) => set.bk_inst_name)
      expect(sets).toEqual(sets.toSorted())
    }
    await server.close()
  })
})
