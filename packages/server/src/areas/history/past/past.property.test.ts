import { endpoints } from '@mainline/contract/endpoints'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeHosts, makeShop } from '../../../testing/data/hosts.ts'
import { isFull } from '../../../testing/full.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { readLog } from '../../../testing/inspect/log.ts'
import { caughtUp, rebuild, withoutParents } from '../../../testing/inspect/past.ts'
import { changeAtRandom, randomFrom } from '../../../testing/random/changes.ts'
import { answerOf, questionsAbout, type ReadRequest } from '../../../testing/random/questions.ts'
import { type Columns, type RowKind, readLive, rowKinds } from '../recorded/index.ts'
import { verifyState, versionsOf } from './index.ts'

type Rows = Record<string, Record<string, Columns>>

const seed = Number(process.env.SEED ?? 3)
const changes = isFull ? 2_000 : 250

eachEngine((engine) => {
  let server: TestServer
  const truth: { position: number; rows: Rows }[] = []
  const asked: { position: number; question: ReadRequest; answer: unknown }[] = []
  beforeAll(async () => {
    server = await startServer(engine)
    const shop = await makeShop(server)
    await makeHosts(server, { business: shop.business, modules: [shop.web] }, [{}, {}, {}])
    await makeHosts(server, {}, [{}, {}])
    const rack = { bk_obj_id: 'rack', bk_obj_name: 'rack', bk_classification_id: 'bk_network' }
    await server.call('POST', '/object', rack)
    const random = randomFrom(seed)
    for (let index = 0; index < changes; index++) {
      await changeAtRandom(server, random)
      if (random() < 0.1) {
        const log = await readLog(server.service.storage.read)
        const position = log.at(-1)?.position ?? 0
        truth.push({ position, rows: await liveRows() })
        if (truth.length % (isFull ? 4 : 8) > 0) continue
        for (const question of await questionsAbout(server)) {
          asked.push({ position, question, answer: await answerOf(server, question) })
        }
      }
    }
  })
  afterAll(() => server.close())

  const isKept = (kind: RowKind, row: Columns) => kind !== 'role_binding' || JSON.stringify(row.privileges) !== '[]'

  async function liveRows(): Promise<Rows> {
    const { read } = server.service.storage
    const kinds = rowKinds.map(async (kind) => {
      const rows = [...(await readLive(read, '0', kind))].filter(([, row]) => isKept(kind, row))
      return [kind, Object.fromEntries(rows)] as const
    })
    return Object.fromEntries(await Promise.all(kinds))
  }

  async function pastRows(position: number): Promise<Rows> {
    const { read } = server.service.storage
    const kinds = rowKinds.map(async (kind) => {
      const versions = await versionsOf(kind).read(read, '0', undefined, { at: position })
      const rows = versions
        .filter(({ row }) => isKept(kind, row))
        .map(({ key, row }) => [key, withoutParents(kind, row)])
      expect(new Set(rows.map(([key]) => key)).size, `${kind} at ${position}`).toBe(rows.length)
      return [kind, Object.fromEntries(rows)] as const
    })
    return Object.fromEntries(await Promise.all(kinds))
  }

  const expectTruth = async () => {
    expect(truth.length).toBeGreaterThan(5)
    for (const { position, rows } of truth) expect(await pastRows(position), `position ${position}`).toEqual(rows)
  }

  const expectProof = async () =>
    expect(await verifyState(server.service.storage.read, () => {})).toMatchObject({
      difference: undefined,
      unfinished: [],
    })

  it(`has every stored state, taken from the log while it was written (seed ${seed})`, async () => {
    await caughtUp(server)
    await expectTruth()
    await expectProof()
  })

  it('answers every read as of then as it was answered then', async () => {
    for (const { position, question, answer } of asked) {
      const named = `${question.method} ${question.path} ${JSON.stringify(question.body ?? '')} as of ${position}`
      expect(await answerOf(server, question, `position:${position}`), named).toEqual(answer)
    }
    expect(asked.length).toBeGreaterThan(100)
    const pathOf = ({ path }: { path: string }) => new RegExp(`^${path.replace(/:\w+/g, '[^/?]+')}(\\?|$)`)
    const unasked = endpoints
      .filter(({ readsPast }) => readsPast)
      .filter(
        (each) => !asked.some(({ question: { method, path } }) => method === each.method && pathOf(each).test(path)),
      )
    expect(unasked.map(({ name }) => name)).toEqual([])
  })

  it('has the same states when it is derived anew, from the live rows backwards', async () => {
    await rebuild(server)
    await expectTruth()
    await expectProof()
  })
})
