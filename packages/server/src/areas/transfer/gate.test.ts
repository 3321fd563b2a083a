import { expect, it } from 'vitest'
import { createGate } from './gate.ts'

it('lets so many in at a time, and the next when one is done, has failed or was given up', async () => {
  const gate = createGate(2)
  const endless = () =>
    gate(async function* () {
      for (;;) yield 1
    })
  const failing = gate(async function* (): AsyncGenerator<number> {
    yield 1
    throw new Error('broken')
  })
  const first = endless()
  await first.next()
  await failing.next()
  await expect(endless().next()).rejects.toMatchObject({ code: 1199429 })
  await expect(failing.next()).rejects.toThrow('broken')
  const third = endless()
  await third.next()
  await expect(endless().next()).rejects.toMatchObject({ status: 429 })
  await first.return(undefined)
  expect(await endless().next()).toEqual({ done: false, value: 1 })
})
