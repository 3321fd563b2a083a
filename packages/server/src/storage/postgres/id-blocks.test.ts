import { expect, it } from 'vitest'
import { makeBusiness, makeSet } from '../../testing/data/factories.ts'
import { isBehindPooler, startServer } from '../../testing/harness.ts'
import { IdBlocks } from './id-blocks.ts'

/** A sequence that says how often it was asked. */
function sequence() {
  let last = 0
  const asked: number[] = []
  const blocks = new IdBlocks()
  const drawn = async (count: number) => {
    asked.push(count)
    return Array.from({ length: count }, () => ++last)
  }
  const draw = (kind: 'set' | 'biz', count = 1) => blocks.draw(kind, count, drawn)
  return { blocks, draw, asked }
}

it('asks the sequence once for many ids, and uses them in order', async () => {
  const { draw, asked } = sequence()
  const ids: number[] = []
  for (let n = 0; n < 40; n++) ids.push(...(await draw('set', 2)))
  expect(ids).toEqual(Array.from({ length: 80 }, (_, index) => index + 1))
  expect(asked).toEqual([64, 64])
})

it('never gives an id to two changes that draw at the same time', async () => {
  const { draw } = sequence()
  const ids = (await Promise.all(Array.from({ length: 200 }, () => draw('set')))).flat()
  expect(new Set(ids).size).toBe(200)
})

it('uses no id of a dropped block, nor of one that was being drawn then', async () => {
  const { blocks, draw } = sequence()
  expect(await draw('set')).toEqual([1])
  blocks.drop()
  const drawing = draw('set')
  blocks.drop()
  expect(await drawing).toEqual([65])
  expect(await draw('set')).toEqual([129])
})

it('leaves many ids at a time, and rare kinds, to the sequence; later ids are higher', async () => {
  const { draw, asked } = sequence()
  await draw('set')
  expect(await draw('set', 100)).toHaveLength(100)
  expect(await draw('set')).toEqual([165])
  await draw('biz')
  expect(asked).toEqual([64, 100, 64, 1])
})

// Behind a pooler connections are opened by the pooler.
it.skipIf(isBehindPooler)('keeps a block while the pool opens more connections to the same server', async () => {
  const server = await startServer('postgres')
  const { engine } = server.service.storage
  const business = await makeBusiness(server)
  const first = await makeSet(server, business)
  const before = engine.load().pools.main?.idle ?? 0
  await Promise.all(Array.from({ length: 8 }, (_, nth) => engine.reads.query(`SELECT pg_sleep(0.1), ${nth}`, [])))
  expect(engine.load().pools.main?.idle).toBeGreaterThan(before)
  expect(await makeSet(server, business)).toBe(first + 1)
  await server.close()
})
