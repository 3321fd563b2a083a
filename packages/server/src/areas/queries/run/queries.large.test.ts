import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyLog } from '../../../storage/index.ts'
import { findRecords, makeBusiness } from '../../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../../testing/harness.ts'
import { measured } from '../../../testing/measured.ts'

const many = 12
/** Stored byte for byte, and of the largest allowed size. */
const infoOf = (nth: number) =>
  JSON.stringify({ condition: [], note: `${nth} "${'\\'.repeat(500)}`.repeat(950) }).slice(0, 1_000_000)
const whole = (nth: number) => {
  const text = infoOf(nth)
  return text.endsWith('}') ? text : `${text.replace(/\\*$/, '')}"}`
}

/** The share of the longest turn of the event loop in all turns, in CPU time, which other programs do not affect. */
function watchTurns() {
  const spent = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  const started = spent()
  let [last, longestMs, isWatching] = [started, 0, true]
  const turn = () => {
    const now = spent()
    longestMs = Math.max(longestMs, now - last)
    last = now
    if (isWatching) setImmediate(turn)
  }
  setImmediate(turn)
  return () => {
    isWatching = false
    return longestMs / (spent() - started)
  }
}

/** Read and rendered without yielding, nearly all of the work would be one turn. */
const yielding = 1 / 2

describe('pages of definitions of a megabyte', () => {
  eachEngine((engine) => {
    let server: TestServer
    let business: number
    beforeAll(async () => {
      server = await startServer(engine)
      business = await makeBusiness(server, 'large')
      for (let nth = 0; nth < many; nth++) {
        const sent = { bk_biz_id: business, name: `large ${String(nth).padStart(2, '0')}`, info: whole(nth) }
        expect(await server.call('POST', '/userapi', sent)).toMatchObject({ result: true })
      }
      await server.call('POST', '/userapi', { bk_biz_id: business, name: 'small', info: '{"condition":[]}' })
    })
    afterAll(() => server?.close())

    /** The bytes of an answer, which are read after the watch has ended. */
    async function ask(path: string, body: unknown) {
      const endWatch = watchTurns()
      const answer = await fetch(`${server.url}/api/v3${path}`, { method: 'POST', body: JSON.stringify(body) })
      const bytes = Buffer.from(await answer.arrayBuffer())
      const longestShare = endWatch()
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
      return { longestShare, result: (JSON.parse(bytes.toString()) as { data: Page }).data }
    }
    interface Page {
      readonly count: number
      readonly info: readonly Record<string, unknown>[]
    }

    it('are returned as saved, in order, without delaying other requests', measured, async () => {
      const page = { start: 0, limit: 200 }
      const { longestShare, result: data } = await ask(`/userapi/search/${business}`, page)
      expect(data.count).toBe(many + 1)
      expect(data.info.map(({ name }) => name)).toEqual([
        ...Array.from({ length: many }, (_, nth) => `large ${String(nth).padStart(2, '0')}`),
        'small',
      ])
      for (const [nth, { info }] of data.info.slice(0, many).entries()) expect(info === whole(nth)).toBe(true)
      expect(longestShare).toBeLessThan(yielding)
    })

    it('are found by a pattern in their name, without reading their definitions', async () => {
      const search = (condition: unknown) => ask(`/userapi/search/${business}`, { start: 1, limit: 1, condition })
      const byName = await search({ name: { $regex: 'large 0[1-3]' } })
      expect(byName.result).toMatchObject({ count: 3, info: [{ name: 'large 02' }] })
      const condition = { info: { $regex: '^.{0,40}"(7|8|9) ' } }
      // A definition of this size would take too long to match.
      expect(await server.call('POST', `/userapi/search/${business}`, { condition })).toMatchObject({
        ...{ result: false, bk_error_code: 1199006 },
        bk_error_msg: expect.stringContaining('info.$regex'),
      })
    })

    it('and their audit records are complete, too', measured, async () => {
      const condition = { op_target: 'userapi', bk_biz_id: business }
      const page = { condition, limit: 200, sort: 'op_time' }
      const { longestShare, result: data } = await ask('/audit/search', page)
      expect(data.count).toBe(many + 1)
      for (const [nth, { content }] of data.info.slice(0, many).entries()) {
        const { pre_data, cur_data } = content as { pre_data: unknown; cur_data: { info: string } }
        expect(pre_data).toBeNull()
        expect(cur_data.info === whole(nth)).toBe(true)
      }
      expect(longestShare).toBeLessThan(yielding)
      expect((await findRecords(server, condition)).data.info).toHaveLength(many + 1)
    })

    it('are sealed and verified a few at a time', measured, async () => {
      const { storage } = server.service
      await storage.seals.sealAll()
      const endWatch = watchTurns()
      const verdict = await verifyLog(storage.heavy, () => {})
      expect(endWatch()).toBeLessThan(yielding)
      expect(verdict).toMatchObject({ faults: [], unsealed: 0 })
    })
  })
})
