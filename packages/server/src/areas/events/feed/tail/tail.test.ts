import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { removeOldest } from '../../../../storage/log/retention.ts'
import { sealNext } from '../../../../storage/log/seals.ts'
import { makeBusiness, makeSet } from '../../../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../../../testing/harness.ts'
import { readLog } from '../../../../testing/inspect/log.ts'
import { caughtUp } from '../../../../testing/inspect/past.ts'
import { countReads, endsRead } from '../../../../testing/inspect/statements.ts'
import { createTail, type Tail } from './tail.ts'

eachEngine((engine) => {
  let server: TestServer
  let tail: Tail
  let business: number
  beforeAll(async () => {
    server = await startServer(engine)
    tail = createTail(server.service.storage)
    business = await makeBusiness(server)
  })
  afterAll(async () => {
    tail.stop()
    await server.close()
  })
  const logged = () => readLog(server.service.storage.read)
  const positions = (records: readonly { position: number | null }[]) => records.map((record) => record.position)

  describe('waiting', () => {
    it('ends when a record is committed, for all clients that wait for it and for no others', async () => {
      const head = (await logged()).length
      expect(await tail.head()).toBe(head)
      const patient = new AbortController()
      const waiting = Array.from({ length: 1_000 }, () => tail.changed(head))
      const ahead = tail.changed(head + 100, patient.signal)
      expect(tail.waiting()).toBe(1_001)
      await makeSet(server, business)
      expect(new Set(await Promise.all(waiting))).toEqual(new Set([head + 1]))
      expect(tail.waiting()).toBe(1)
      patient.abort()
      await ahead
      expect(tail.waiting()).toBe(0)
      expect(await tail.changed(head)).toBe(head + 1)
    })

    it('costs a few statements a second, however many clients wait, and none without waiting clients', async () => {
      // A server that has just been started copies its rows for reads of the past.
      await caughtUp(server)
      const head = await tail.head()
      const enough = new AbortController()
      const waiting = Array.from({ length: 1_000 }, () => tail.changed(head, enough.signal))
      const reads = countReads(server.service.storage, endsRead)
      await pause(500)
      // Without other writers, only the check of the history, once a second.
      expect(reads.count()).toBeLessThanOrEqual(engine === 'sqlite' ? 1 : 30)
      enough.abort()
      await Promise.all(waiting)
      await pause(60)
      const before = reads.count()
      await pause(200)
      expect(reads.count()).toBeLessThanOrEqual(before + 1)
      reads.stop()
    })

    it('a record that a thousand clients wait for is read once', async () => {
      const head = await tail.head()
      const waiting = Array.from({ length: 1_000 }, async () => {
        const after = await tail.changed(head)
        return [...(await tail.readOf('0', ['set'], head, 200)).records, after]
      })
      const reads = countReads(server.service.storage)
      await makeSet(server, business)
      const seen = await Promise.all(waiting)
      expect(seen.every(([record]) => record === seen[0]?.[0])).toBe(true)
      expect(reads.count()).toBeLessThan(60)
      reads.stop()
    })

    it('ends immediately when the tail is stopped', async () => {
      const stopped = createTail(server.service.storage)
      const waiting = stopped.changed((await stopped.head()) + 1)
      stopped.stop()
      await waiting
      expect(stopped.waiting()).toBe(0)
    })
  })

  describe('reading', () => {
    beforeAll(async () => {
      for (let round = 0; round < 5; round++) {
        await Promise.all(Array.from({ length: 6 }, () => makeSet(server, business)))
        await makeBusiness(server)
      }
      await server.call('POST', '/biz/other', { bk_biz_name: 'elsewhere', bk_biz_maintainer: 'amy' })
    })

    it.each(['from the database', 'from what is remembered'])(
      'finds every record once and in order, %s',
      async (how) => {
        const log = await logged()
        const reading = createTail(server.service.storage)
        if (how === 'from what is remembered') {
          const last = log.length - 1
          // The first look starts the cache, which holds all of these few records.
          await Promise.race([reading.changed(last), pause(5_000)])
          await reading.changed(log.length, AbortSignal.timeout(100))
        }
        const reads = countReads(server.service.storage)
        const pages: (number | null)[] = []
        for (let after = 0; ; after = pages.at(-1) ?? 0) {
          const page = positions(await reading.read(undefined, after, 7))
          if (page.length === 0) break
          pages.push(...page)
        }
        expect(pages).toEqual(positions(log))

        const found: (number | null)[] = []
        let after = 0
        while (after < log.length) {
          const { records, through } = await reading.readOf('0', ['set', 'biz'], after, 4)
          found.push(...positions(records))
          expect(through).toBeGreaterThan(after)
          after = through
        }
        expect(after).toBe(log.length)
        const rows = await server.service.storage.read.selectFrom('log').selectAll().orderBy('position').execute()
        const wanted = rows.filter((row) => row.account === '0' && ['set', 'biz'].includes(row.object_id))
        expect(found).toEqual(positions(wanted))
        expect(positions(await reading.read('other', 0, 100))).toEqual(
          positions(rows.filter((row) => row.account === 'other')),
        )
        if (how === 'from what is remembered') expect(reads.count()).toBeLessThan(5)
        reads.stop()
        reading.stop()
      },
    )

    it('reports the position below which records were removed', async () => {
      expect(await tail.floor()).toBe(1)
      const { engine: opened } = server.service.storage
      const seal = await sealNext(opened, Date.now(), true)
      expect(await removeOldest(opened, Date.now() + 1_000)).toBe(true)
      expect(await tail.floor()).toBe((seal?.last_position ?? 0) + 1)
    })
  })
})
