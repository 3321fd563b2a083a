// The worst that callers with few privileges can do: each of these has stalled the server for everyone, or would have.
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export interface Attacked {
  readonly url: string
  readonly token: string
  /** A business that the attacker maintains. */
  readonly business: number
  /** A host that very many others are associated with. */
  readonly hub: number
}

/** Responses by status; 0 for a closed connection. */
export type Answers = Record<number, number>

type Attack = (attacked: Attacked, until: AbortSignal) => Promise<Answers>

/** Compiles to the largest program that is allowed, and no state of it can be cached. */
const slowPattern = '(.?){480}[yz]'
/** The JSON that takes the parser longest for its size. */
const costlyJson = (bytes: number) => `{"condition":[${'{},'.repeat((bytes - 20) / 3)}{}]}`
const filter = (field: string) => [{ field, operator: '$regex', value: slowPattern }]
const slowQuery = { condition: [{ bk_obj_id: 'host', fields: [], condition: filter('bk_host_name') }] }

interface Sending {
  readonly method?: string
  readonly path: string
  readonly body?: string | Uint8Array
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Disconnects after so long without a response. */
  readonly patienceMs?: number
}

class Attacker {
  readonly answers: Answers = {}
  readonly #attacked: Attacked
  readonly #until: AbortSignal
  readonly #sockets = new Set<Socket>()
  readonly #work: Promise<void>[] = []

  constructor(attacked: Attacked, until: AbortSignal) {
    this.#attacked = attacked
    this.#until = until
  }

  /** So many clients that repeat this request as soon as it is answered. */
  flood(clients: number, sending: Sending | (() => Sending)): void {
    const client = async () => {
      while (!this.#until.aborted) this.#count(await this.#send(typeof sending === 'function' ? sending() : sending))
    }
    for (let nth = 0; nth < clients; nth++) this.#work.push(client())
  }

  /** Connections that announce a body, send half of it and wait. */
  stall(connections: number, path: string, bytes: number): void {
    const { token } = this.#attacked
    const half = Buffer.alloc(bytes / 2, 0x20)
    const authorization = token ? `Authorization: Bearer ${token}\r\n` : ''
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\n${authorization}Content-Length: ${bytes}\r\n\r\n`
    for (let nth = 0; nth < connections; nth++) {
      this.#open((socket) => {
        socket.resume()
        socket.write(head)
        socket.write(half)
      })
    }
  }

  /** Connections that send a request and never read the response. */
  leaveUnread(connections: number, path: string, body: string): void {
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${this.#attacked.token}\r\n`
    for (let nth = 0; nth < connections; nth++) {
      this.#open((socket) => {
        socket.pause()
        socket.write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
      })
    }
  }

  /** So many clients that open a new connection for each request. */
  reconnect(clients: number): void {
    const head = `GET /api/v3/hosts/0/1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${this.#attacked.token}\r\n`
    for (let nth = 0; nth < clients; nth++) {
      this.#open((socket) => {
        socket.resume()
        socket.write(`${head}Connection: close\r\n\r\n`)
      })
    }
  }

  /** A connection that is reopened whenever it is closed. */
  #open(begin: (socket: Socket) => void): void {
    const { hostname, port } = new URL(this.#attacked.url)
    const socket = connect(Number(port), hostname)
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#sockets.delete(socket)
      if (!this.#until.aborted) setTimeout(() => this.#open(begin), 50)
    })
    begin(socket)
  }

  async call(method: string, path: string, body: unknown): Promise<Record<string, unknown>> {
    const { url, token } = this.#attacked
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/api/v3${path}`, { method, headers, body: JSON.stringify(body) })
    return ((await answer.json()) as { data: Record<string, unknown> }).data
  }

  async end(): Promise<Answers> {
    if (!this.#until.aborted) await new Promise((resolve) => this.#until.addEventListener('abort', resolve))
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all(this.#work)
    return this.answers
  }

  async #send({
    method = 'POST',
    path,
    body,
    type = 'application/json',
    headers,
    patienceMs,
  }: Sending): Promise<number> {
    const { url, token } = this.#attacked
    const signals = [this.#until, ...(patienceMs === undefined ? [] : [AbortSignal.timeout(patienceMs)])]
    try {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...headers,
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body && { 'content-type': type }),
        },
        ...(body && { body: body as NonNullable<RequestInit['body']> }),
        signal: AbortSignal.any(signals),
      })
      await answer.arrayBuffer()
      if (answer.status === 429) await pause(20)
      return answer.status
    } catch {
      await pause(5)
      return 0
    }
  }

  #count(status: number): void {
    this.answers[status] = (this.answers[status] ?? 0) + 1
  }
}

const anonymous: Attack = (attacked, until) => {
  const attacker = new Attacker({ ...attacked, token: '' }, until)
  attacker.stall(60, '/api/v3/hosts/search', 1_000_000)
  attacker.stall(20, '/logout', 1_000_000)
  attacker.flood(4, { method: 'GET', path: '/openapi.json' })
  attacker.flood(2, { method: 'GET', path: '/metrics' })
  attacker.flood(4, { path: '/api/v3/hosts/search', body: costlyJson(200_000) })
  const guessing = new Attacker({ ...attacked, token: `ml_1_${'A'.repeat(43)}` }, until)
  guessing.flood(4, { path: '/api/v3/hosts/search', body: '{}' })
  guessing.stall(20, '/api/v3/hosts/search', 1_000_000)
  return Promise.all([attacker.end(), guessing.end()]).then(([answers]) => answers)
}

const reader: Attack = (attacked, until) => {
  const attacker = new Attacker(attacked, until)
  const search = JSON.stringify({ condition: [{ bk_obj_id: 'host', fields: [], condition: filter('bk_host_name') }] })
  attacker.flood(8, { path: '/api/v3/hosts/search', body: search })
  // Disconnects and sends the request again: the previous execution must not continue.
  attacker.flood(8, { path: '/api/v3/hosts/search', body: search, patienceMs: 100 })
  const audit = JSON.stringify({ condition: { operator: { $regex: slowPattern } } })
  attacker.flood(4, { path: '/api/v3/audit/search', body: audit })
  attacker.flood(4, { path: '/api/v3/hosts/search', body: costlyJson(1_000_000) })
  attacker.flood(4, { path: '/api/v3/hosts/search', body: costlyJson(60_000) })
  attacker.stall(60, '/api/v3/hosts/search', 1_000_000)
  attacker.stall(60, '/api/v3/hosts/add', 8_000_000)
  return attacker.end()
}

const maintainer: Attack = async (attacked, until) => {
  const attacker = new Attacker(attacked, until)
  const { business } = attacked
  const info = JSON.stringify(slowQuery)
  const { id } = await attacker.call('POST', '/userapi', { bk_biz_id: business, name: `slow ${Date.now()}`, info })
  attacker.flood(4, { method: 'GET', path: `/api/v3/userapi/data/${business}/${id}/0/10` })
  attacker.flood(4, { path: `/api/v3/userapi/preview/${business}`, body: JSON.stringify({ info: slowQuery }) })
  const csv = 'text/csv'
  const wide = `bk_host_innerip,${Array.from({ length: 20_000 }, (_, nth) => `c${nth}`).join()}\n`
  attacker.flood(2, { path: `/api/v3/import/hosts/${business}`, body: wide, type: csv })
  const long = `bk_host_innerip\n${'\n'.repeat(1_000_000)}`
  attacker.flood(2, { path: `/api/v3/import/hosts/${business}?dry_run=true`, body: long, type: csv })
  attacker.stall(20, `/api/v3/import/hosts/${business}`, 30_000_000)
  let made = 0
  attacker.flood(4, () => {
    const names = { bk_set_name: `set ${Date.now()} ${made++}`, bk_biz_id: business, bk_parent_id: business }
    return { path: `/api/v3/set/${business}`, body: JSON.stringify({ ...names, bk_supplier_account: '0' }) }
  })
  return attacker.end()
}

const eventHolder: Attack = async (attacked, until) => {
  const attacker = new Attacker(attacked, until)
  const answer = 'x'.repeat(65_536)
  const receiver = createServer((request, response) => {
    request.resume()
    response.end(answer)
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const callback_url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  for (let nth = 0; nth < 20; nth++) {
    await attacker.call('POST', '/event/subscribe/0/0', {
      ...{ subscription_name: `slow ${Date.now()} ${nth}`, system_name: 'attack', callback_url, timeout: 10 },
      ...{ confirm_mode: 'regular', confirm_pattern: slowPattern, subscription_form: 'setcreate,setupdate' },
    })
  }
  attacker.flood(4, { path: '/api/v3/event/subscribe/ping', body: JSON.stringify({ callback_url, data: {} }) })
  const watch = JSON.stringify({ bk_event_types: ['create'], bk_timeout: 20 })
  attacker.flood(100, { path: '/api/v3/event/watch/resource/host', body: watch, patienceMs: 500 })
  attacker.flood(20, { method: 'GET', path: '/api/v3/event/stream', patienceMs: 500 })
  const answers = await attacker.end()
  receiver.closeAllConnections()
  receiver.close()
  return answers
}

/** Every change of the model invalidates everything cached under its version. */
const modeller: Attack = async (attacked, until) => {
  const attacker = new Attacker(attacked, until)
  const named = `slow${Date.now() % 100_000}`
  const attribute = {
    bk_obj_id: 'host',
    bk_property_id: named,
    bk_property_name: named,
    bk_property_type: 'singlechar',
  }
  const { id } = await attacker.call('POST', '/object/attr', attribute)
  let turn = 0
  attacker.flood(4, () => ({
    ...{ method: 'PUT', path: `/api/v3/object/attr/${id}` },
    body: JSON.stringify({ bk_property_name: `${named} ${turn++}`, searchable: turn % 2 === 0 }),
  }))
  attacker.flood(2, () => ({
    path: '/api/v3/object/attr',
    body: JSON.stringify({ ...attribute, bk_property_id: `${named}_${turn++}`, bk_property_name: `${named}_${turn}` }),
  }))
  attacker.flood(4, { path: '/api/v3/object/attr/search', body: '{}' })
  return attacker.end()
}

/** All of its searches differ, so that no cache serves them. */
const auditor: Attack = (attacked, until) => {
  const attacker = new Attacker(attacked, until)
  const fields = ['operator', 'op_desc', 'request_id', 'op_target', 'ext_key', 'inst_id', 'revision']
  let turn = 0
  const field = () => fields[turn % fields.length] ?? 'operator'
  const search = (body: Record<string, unknown>) => ({ path: '/api/v3/audit/search', body: JSON.stringify(body) })
  attacker.flood(4, () => search({ condition: { op_desc: `nothing ${turn++}` }, sort: `-${field()}`, limit: 200 }))
  attacker.flood(4, () => search({ condition: nested(turn++), start: turn % 1_000, limit: 200 }))
  attacker.flood(4, () => search({ condition: { ext_key: Array.from({ length: 9_000 }, () => turn++).join() } }))
  attacker.flood(2, { method: 'GET', path: '/api/v3/audit/integrity' })
  return attacker.end()
}

/** The maximum depth of a condition, and different from any other. */
function nested(seed: number): Record<string, unknown> {
  let condition: Record<string, unknown> = { operator: { $ne: `other ${seed}` } }
  for (let depth = 0; depth < 25; depth++) condition = { [depth % 2 ? '$or' : '$and']: [condition, { inst_id: depth }] }
  return condition
}

/** Requests pages of the records of a megabyte in its business, and reads them slowly or not at all. */
const hoarder: Attack = async (attacked, until) => {
  const attacker = new Attacker(attacked, until)
  const { business } = attacked
  const page = JSON.stringify({ start: 0, limit: 200 })
  attacker.flood(4, { path: `/api/v3/userapi/search/${business}`, body: page })
  attacker.flood(2, { path: `/api/v3/userapi/search/${business}`, body: page, patienceMs: 300 })
  const audit = JSON.stringify({ condition: { bk_biz_id: business, op_target: 'userapi' }, limit: 200 })
  attacker.flood(4, { path: '/api/v3/audit/search', body: audit })
  attacker.leaveUnread(20, `/api/v3/userapi/search/${business}`, page)
  return attacker.end()
}

/** Has a token and no privileges: endless connections, keys and searches. */
const stranger: Attack = (attacked, until) => {
  const attacker = new Attacker(attacked, until)
  attacker.reconnect(50)
  let turn = 0
  attacker.flood(8, () => ({
    ...{ path: '/api/v3/usercustom', body: JSON.stringify({ [`key${turn % 50}`]: 'x'.repeat(1_000) }) },
    headers: { 'idempotency-key': `key ${turn++}` },
  }))
  const conditions = () => [
    { field: 'bk_mem', operator: '$gt', value: turn++ },
    { field: 'bk_cpu', operator: '$ne', value: turn },
  ]
  const search = () => ({ condition: [{ bk_obj_id: 'host', fields: ['bk_host_id'], condition: conditions() }] })
  attacker.flood(8, () => ({
    path: '/api/v3/hosts/search',
    body: JSON.stringify({ ...search(), page: { start: turn, limit: 200, sort: turn % 2 ? '-bk_mem' : 'bk_sn' } }),
  }))
  return attacker.end()
}

/** Has a token and no rights: follows the associations of a host that thousands of others are associated with. */
const follower: Attack = (attacked, until) => {
  const attacker = new Attacker(attacked, until)
  const { hub } = attacked
  const get = (path: string) => ({ method: 'GET', path: `/api/v3${path}` })
  attacker.flood(8, get(`/impact/host/${hub}?direction=both&depth=6&limit=1000`))
  attacker.flood(4, { ...get(`/impact/biz/${attacked.business}?direction=down&depth=6&limit=1000`), patienceMs: 100 })
  attacker.flood(8, { path: `/api/v3/inst/association/topo/search/owner/0/object/host/inst/${hub}`, body: '{}' })
  const related = { condition: { bk_obj_id: 'host', bk_inst_id: hub } }
  attacker.flood(8, { path: '/api/v3/inst/association/related/action/search', body: JSON.stringify(related) })
  let turn = 0
  attacker.flood(8, () => ({
    path: '/api/v3/inst/association/action/search',
    body: JSON.stringify({
      condition: { bk_asst_inst_id: { $gt: turn++ % 100 } },
      page: { start: turn * 10, limit: 200 },
    }),
  }))
  const asst_ids = Array(200).fill('connect')
  attacker.flood(4, { path: '/api/v3/topo/association/type/action/search/batch', body: JSON.stringify({ asst_ids }) })
  attacker.flood(2, get('/object/host/unique/action/search'))
  return attacker.end()
}

export const attackers = {
  ...{ anonymous, reader, maintainer, eventHolder },
  ...{ modeller, auditor, hoarder, stranger, follower },
} satisfies Record<string, Attack>
