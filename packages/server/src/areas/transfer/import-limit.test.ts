import { expect, it } from 'vitest'
import { asCaller } from '../../common/caller.ts'
import { limitImports } from './import-limit.ts'

const limit = limitImports(2)
async function* endless() {
  for (;;) yield 1
}
/** The first part of an import of this user; resolves when it has had its turn. */
const begin = (user: string, parts = limit(endless), gone?: AbortSignal) => {
  const first = asCaller(
    { account: '0', user },
    () => parts.next(),
    () => gone,
  )
  return { first, end: () => parts.return(undefined) }
}
const isWaiting = async ({ first }: { first: Promise<unknown> }) =>
  (await Promise.race([first, new Promise((resolve) => setTimeout(resolve, 20, 'waiting'))])) === 'waiting'

it('runs one import per caller and a limited number in total; others queue', async () => {
  const ann = [begin('ann'), begin('ann'), begin('ann')] as const
  const bob = begin('bob')
  await Promise.all([ann[0].first, bob.first])
  expect(await isWaiting(ann[1])).toBe(true)
  await expect(begin('ann').first).rejects.toMatchObject({ code: 1199429 })

  const cid = begin('cid')
  await bob.end()
  await cid.first
  expect(await isWaiting(ann[1])).toBe(true)
  await ann[0].end()
  await ann[1].first
  await Promise.all([ann[1], cid].map(({ end }) => end()))
  await ann[2].first
  await ann[2].end()
})

it('starts the next one after a failure, and none whose client has disconnected', async () => {
  const failing = limit(async function* (): AsyncGenerator<number> {
    yield 1
    throw new Error('broken')
  })
  await begin('ann', failing).first
  const [waiting, leaving] = [begin('ann'), new AbortController()]
  const gone = begin('ann', limit(endless), leaving.signal)
  leaving.abort()
  await expect(failing.next()).rejects.toThrow('broken')
  await waiting.first
  await waiting.end()
  await expect(gone.first).rejects.toMatchObject({ kind: 'clientGone' })
})
