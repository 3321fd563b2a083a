import type { history } from '@mainline/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeHosts, makeShop } from '../../../testing/data/hosts.ts'
import { isFull } from '../../../testing/full.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { readLog } from '../../../testing/inspect/log.ts'
import { changeAtRandom, randomFrom } from '../../../testing/random/changes.ts'
import { type Columns, readLive, rowKinds } from '../recorded/index.ts'

const seed = Number(process.env.SEED ?? 7)
const changes = isFull ? 1_000 : 120

eachEngine((engine) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(engine)
    const shop = await makeShop(server)
    await makeHosts(server, { business: shop.business, modules: [shop.web] }, [{}, {}, {}])
    await makeHosts(server, {}, [{}, {}])
    await server.call('POST', '/object', {
      bk_obj_id: 'rack',
      bk_obj_name: 'rack',
      bk_classification_id: 'bk_network',
    })
  })
  afterAll(() => server.close())

  /** Everything but what counts changes or tells when and by whom. A role without privileges is the same as one that was never bound. */
  const steady = ({ revision: _, last_time: __, modifier: ___, ...row }: Columns) => row

  async function state() {
    const { read } = server.service.storage
    const kinds = await Promise.all(
      rowKinds.map(async (kind) => {
        const rows = [...(await readLive(read, '0', kind))].filter(
          ([, row]) => kind !== 'role_binding' || JSON.stringify(row.privileges) !== '[]',
        )
        return [kind, Object.fromEntries(rows.map(([key, row]) => [key, steady(row)]))] as const
      }),
    )
    return Object.fromEntries(kinds)
  }

  const newest = async () => (await readLog(server.service.storage.read)).at(-1)?.txn_id
  const undo = (txn_id: unknown) => server.call<history.UndoResult>('POST', '/history/undo', { txn_id })

  it(`takes random changes back exactly, or changes nothing (seed ${seed})`, async () => {
    const random = randomFrom(seed)
    let undone = 0
    for (let index = 0; index < changes; index++) {
      const before = await state()
      const last = await newest()
      const change = await changeAtRandom(server, random)
      const after = await state()
      const txn = await newest()
      // Refused, or no change at all.
      if (txn === last) continue
      const isOvertaken = random() < 0.3
      if (isOvertaken) await changeAtRandom(server, random)
      const present = isOvertaken ? await state() : after
      const answer = await undo(txn)
      if (!answer.result) {
        expect(answer.bk_error_code, `${change.what}: ${answer.bk_error_msg}`).toBe(1199409)
        expect(await state(), `refused: ${change.what}`).toEqual(present)
      } else if (!isOvertaken) {
        undone++
        expect(await state(), `undone: ${change.what}`).toEqual(before)
        if (random() < 0.7) {
          await undo(await newest())
          expect(await state(), `undone twice: ${change.what}`).toEqual(after)
        }
      }
    }
    expect(undone).toBeGreaterThan(changes / 10)
  })
})
