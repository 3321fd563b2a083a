import { answerOf } from './answer.ts'
import { type Server, startMainline } from './child.ts'
import { spreadOf } from './compare.ts'
import type { Row } from './row.ts'
import { fill, makeStore } from './store.ts'

const atOnce = 1_000
/** 5,000 hosts a second on SQLite, 2,000 on PostgreSQL. */
const atMost = { sqlite: 200, postgres: 500 }

/** A thousand hosts in one call: rows, addresses, placements, values, audit records and events in one durable change. */
export const addHosts: Row = {
  name: 'add_hosts',
  async run({ engine, plan, postgresUrl, profiles }) {
    const store = await makeStore(engine, postgresUrl)
    const [business] = (await fill(store, 1, 1)) as [number]
    const server = await startMainline(store.flags, profiles)
    await add(server, business, 0)
    const times: number[] = []
    for (let turn = 1; turn <= plan.repetitions; turn++) times.push(await add(server, business, turn))
    await server.stop()
    store.remove()
    const work = `add_host, ${atOnce.toLocaleString('en')} in one call`
    return [{ key: 'add_hosts', work, engine, unit: 'ms', atMost: atMost[engine], value: spreadOf(times) }]
  },
}

async function add({ port }: Server, business: number, turn: number): Promise<number> {
  const rows = Array.from({ length: atOnce }, (_, index) => {
    const number = turn * atOnce + index
    const attributes = {
      bk_host_innerip: `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`,
      bk_host_name: `host-${number}`,
      bk_os_type: '1',
      bk_cpu: 8,
      bk_mem: 32_768,
      operator: 'amy',
      bk_sn: `SN${number}`,
    }
    return [index, attributes]
  })
  const body = JSON.stringify({ bk_biz_id: business, host_info: Object.fromEntries(rows) })
  const started = performance.now()
  await answerOf(port, '/api/v3/hosts/add', { method: 'POST', body })
  return performance.now() - started
}
