import { afterAll, beforeAll, expect, it } from 'vitest'
import { zoneOf } from '../../common/time.ts'
import { makeBusiness, makeSet } from '../../testing/data/factories.ts'
import { eachEngine, startServer, type TestServer } from '../../testing/harness.ts'
import { type Logged, readLog } from '../../testing/inspect/log.ts'
import { presentMoment, readMoment } from './moment.ts'

eachEngine((engine) => {
  let server: TestServer
  let log: (Logged & { op_time?: number })[]
  beforeAll(async () => {
    server = await startServer(engine)
    const business = await makeBusiness(server)
    for (let index = 0; index < 3; index++) await makeSet(server, business)
    await readLog(server.service.storage.read)
    // A day between records, the newest an hour old.
    await server.service.storage.engine.script(
      `UPDATE log SET op_time = ${Date.now() - 3_600_000} - 86400000 * ((SELECT position FROM log_head) - position)`,
    )
    log = await readLog(server.service.storage.read)
  })
  afterAll(() => server.close())

  const read = (text: unknown, zone = 'UTC') =>
    readMoment(server.service.storage.read, { account: '0', text, field: 'as_of', zone: zoneOf(zone) })
  const timeOf = (record: (Logged & { op_time?: number }) | undefined) => new Date(record?.op_time ?? 0)

  it('reads a time, with or without an offset, a duration back, and a position', async () => {
    const [earlier, last] = log.slice(-2)
    expect(await read('-1m')).toMatchObject({ position: last?.position })
    expect(await read('-2h')).toMatchObject({ position: earlier?.position })
    expect(await read('-1d')).toMatchObject({ position: earlier?.position })
    expect(await read(timeOf(earlier).toISOString())).toEqual({
      position: earlier?.position,
      time: timeOf(earlier).getTime(),
    })
    const before = new Date(timeOf(last).getTime() - 1_000).toISOString()
    expect(await read(before)).toMatchObject({ position: earlier?.position })
    const zoned = new Date(timeOf(earlier).getTime() + 8 * 3_600_000 + 1_000).toISOString().replace(/\..*/, '')
    expect(await read(zoned, 'Asia/Shanghai')).toMatchObject({ position: earlier?.position })
    expect(await read(`position:${earlier?.position}`)).toEqual({
      position: earlier?.position,
      time: timeOf(earlier).getTime(),
    })
    expect(await presentMoment(server.service.storage.read, '0')).toMatchObject({
      position: last?.position,
    })
  })

  it.each<[wrong: string, text: unknown]>([
    ['a word', 'yesterday'],
    ['a day of no calendar', '2026-02-30 00:00:00'],
    ['a time and a position', 'position:1;2026-01-01 00:00:00'],
    ['two values', ['-1h', 'position:1']],
    ['a duration ahead', '2h'],
    ['a position that is no number', 'position:x'],
    ['the empty text', ''],
  ])('refuses %s', async (_, text) => {
    await expect(read(text)).rejects.toMatchObject({ kind: 'invalid', field: 'as_of' })
  })

  it('refuses the future, and names the oldest moment before the log begins', async () => {
    await expect(read('2999-01-01 00:00:00')).rejects.toMatchObject({ code: 1199006 })
    await expect(read('position:999999')).rejects.toMatchObject({ code: 1199006 })
    const [oldest] = log
    await expect(read('2001-01-01')).rejects.toMatchObject({
      code: 1199410,
      message: expect.stringContaining(`position:${oldest?.position}`),
    })
    await expect(read('position:0')).rejects.toMatchObject({ code: 1199410 })
  })
})
