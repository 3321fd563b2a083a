// Host searches as handwritten SQL behind node:http: the limit of the database.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { Store } from '../store.ts'

export interface Question {
  readonly business: number
  readonly module: string
  readonly environment: string
  readonly system: string
  readonly sla: string
}

export interface HostQueryTask {
  readonly store: Pick<Store, 'engine' | 'dataDir' | 'databaseUrl'>
  readonly questions: readonly Question[]
}

type Row = Record<string, unknown>
type Ask = (sql: string, values: readonly unknown[]) => Row[] | Promise<Row[]>

const from = `FROM host h WHERE h.id IN (SELECT p.host FROM placement p WHERE p.module IN (
  SELECT m.id FROM node m JOIN node s ON s.id = m.parent JOIN business b ON b.node = m.business
  WHERE b.account = '0' AND b.biz_id = $1 AND m.object_id = 'module' AND m.name = $2 AND s.attributes ->> 'bk_set_env' = $3))
  AND h.attributes ->> 'bk_os_type' = $4 AND h.attributes ->> 'bk_sla' = $5`
const page = `SELECT h.id, h.host_id, h.inner_ip, h.attributes ->> 'bk_host_name' AS name ${from} ORDER BY h.host_id LIMIT 20 OFFSET $6`
const count = `SELECT count(*) AS count ${from}`
const around = (
  hosts: number,
) => `SELECT p.host, m.inst_id AS module_id, m.name AS module_name, s.inst_id AS set_id, s.name AS set_name
  FROM placement p JOIN node m ON m.id = p.module JOIN node s ON s.id = p.set_node
  WHERE p.host IN (${Array.from({ length: hosts }, (_, index) => `$${index + 1}`)}) ORDER BY m.inst_id`

const [{ store, questions }] = (await once(process, 'message')) as [HostQueryTask]
process.on('disconnect', () => process.exit())
const ask = store.engine === 'sqlite' ? onSqlite(store.dataDir) : onPostgres(store.databaseUrl)

function onSqlite(dataDir: string): Ask {
  const database = new DatabaseSync(join(dataDir, 'mainline.db'), { readOnly: true })
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  return (sql, values) => {
    const statement = statements.get(sql) ?? database.prepare(sql.replaceAll('$', '?'))
    statements.set(sql, statement)
    return statement.all(...(values as string[])) as Row[]
  }
}

function onPostgres(url: string): Ask {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  return async (sql, values) =>
    (await pool.query({ name: sql.slice(0, 40) + sql.length, text: sql, values: [...values] })).rows
}

async function answer({ business, module, environment, system, sla }: Question, start: number): Promise<string> {
  const values = [business, module, environment, system, sla]
  const [hosts, [total]] = await Promise.all([ask(page, [...values, start]), ask(count, values)])
  const ids = hosts.map((host) => host.id)
  const places = ids.length > 0 ? Map.groupBy(await ask(around(ids.length), ids), (row) => row.host) : new Map()
  const info = hosts.map((host) => {
    const own: Row[] = places.get(host.id) ?? []
    return {
      biz: {},
      set: { bk_set_id: own.map((row) => row.set_id).join(), bk_set_name: own.map((row) => row.set_name).join() },
      module: {
        bk_module_id: own.map((row) => row.module_id).join(),
        bk_module_name: own.map((row) => row.module_name).join(),
      },
      host: { bk_host_id: host.host_id, bk_host_innerip: host.inner_ip, bk_host_name: host.name },
    }
  })
  return JSON.stringify({ result: true, bk_error_code: 0, bk_error_msg: '', data: { count: total?.count, info } })
}

const server = createServer(async (request, response) => {
  const [, question, start] = (request.url ?? '').split('/').map(Number)
  const body = await answer(questions[question as number] as Question, start as number)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send?.((server.address() as AddressInfo).port)
