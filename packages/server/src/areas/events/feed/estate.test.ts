import { expect, it } from 'vitest'
import { fillEstate } from '../../../commands/demo/estate.ts'
import { configOf, startServer } from '../../../testing/harness.ts'
import { readLog } from '../../../testing/inspect/log.ts'
import { modelOf } from '../../model/index.ts'
import { eventsOf, recordedAs } from './bodies.ts'
import { eventNames } from './names.ts'

it('every event of a large data set has a known name, and is in a record of the expected objects', async () => {
  const server = await startServer('sqlite')
  const { storage } = server.service
  await fillEstate(storage, configOf(server.store), { hosts: 20, progress: () => {} })
  const [business] = (await server.call<{ info: { bk_biz_id: number }[] }>('POST', '/biz/search/0', {})).data.info
  await server.call('DELETE', `/topo/model/mainline/owners/0/objectids/site`)
  await server.call('DELETE', `/biz/0/${business?.bk_biz_id}`)
  await readLog(storage.read)

  const known = new Set(eventNames(await modelOf(storage.read, '0')).concat('sitecreate', 'sitedelete', 'siteupdate'))
  const records = await storage.read.selectFrom('log').selectAll().orderBy('position').execute()
  const events = records.flatMap((record) => eventsOf(record).map((event) => ({ event, record })))
  expect(events.filter(({ event }) => !known.has(event.name)).map(({ event }) => event.name)).toEqual([])
  expect(events.filter(({ event, record }) => !recordedAs(event.objType).includes(record.object_id))).toEqual([])
  const names = new Set(events.map(({ event }) => event.name))
  expect([...names]).toEqual(
    expect.arrayContaining(['bizcreate', 'regioncreate', 'setcreate', 'setupdate', 'modulecreate', 'sitedelete']),
  )
  await server.close()
})
