// The world of a fault run: servers in their own processes, storage that can fail, receivers, and the load.
import { join } from 'node:path'
import { readConfig } from '../../packages/server/src/common/config.ts'
import type { StorageConfig } from '../../packages/server/src/storage/index.ts'
import { call } from '../../packages/server/src/testing/harness.ts'
import { inspected } from '../../packages/server/src/testing/inspect/heap.ts'
import { type ServerProcess, spawnServer } from '../../packages/server/src/testing/process.ts'
import { type Receiver, type Reply, startReceiver } from '../../packages/server/src/testing/servers/receiver.ts'
import { declaration } from './associations.ts'
import type { Expected, Facts, Place } from './checker.ts'
import { type Clock, makeClock } from './clock.ts'
import { type Database, makeDatabase } from './database.ts'
import { describeDeliveries } from './deliveries.ts'
import { type Disk, makeDisk } from './disk.ts'
import { emptyHistory, type History } from './history.ts'
import { type Load, startLoad } from './load.ts'
import type { Random } from './random.ts'

export interface World {
  readonly servers: ServerProcess[]
  /** Lines that the servers have logged, and how often. */
  readonly complaints: ReadonlyMap<string, number>
  readonly history: History
  readonly load: Load
  readonly clock: Clock | undefined
  readonly disk?: Disk
  readonly database?: Database
  /** Direct access to the database, bypassing the service and its proxy. */
  config(): StorageConfig
  /** A server in place of one that has exited. */
  respawn(nth: number): Promise<void>
  /** Sends changes until one is acknowledged. Resolves with the milliseconds it took. */
  answersAgain(): Promise<number>
  /** Two of the receivers fail now and then, unless switched off for a while. */
  upset(): void
  cheerUp(): void
  /** The events that receivers must get according to the log, and those they got. */
  told(facts: Facts): { name: string; parallel: number; expected: Expected[]; received: Place[] }[]
  /** The progress of deliveries, as lines for people. */
  deliveries(): Promise<string[]>
  close(): Promise<void>
}

const forms = ['set', 'module', 'host'].flatMap((kind) => ['create', 'update', 'delete'].map((verb) => kind + verb))
const form = [...forms, 'moduletransfer', 'instassociation']
const failures: Reply[] = [{ status: 500 }, { status: 503 }, { instead: 'reset' }, { delayMs: 300 }]

interface WorldOptions {
  readonly engine: 'sqlite' | 'postgres'
  readonly seed: number
  readonly random: Random
  readonly clients: number
  readonly servers: number
  /** Pause of a client between two requests, in milliseconds. */
  readonly rest: number
}

export async function makeWorld(options: WorldOptions): Promise<World> {
  const { engine, random } = options
  const clock = makeClock()
  const storage = await (engine === 'sqlite' ? embedded() : makeDatabase())
  const flags = [...storage.flags, '--port=0', '--connections=6', '--retry-schedule=200ms,400ms,1s,1s,1s,1s']
  const complaints = new Map<string, number>()
  const spawn = async () => {
    const server = await spawnServer({ flags }, [], { ...clock?.env, ...inspected })
    server.child.stdout?.on('data', (chunk: Buffer) => noteComplaints(complaints, chunk.toString()))
    return server
  }
  const servers = await Promise.all(Array.from({ length: options.servers }, spawn))
  const door = () => random.among(servers).url

  const receivers = { steady: await startReceiver(), moody: await startReceiver(), wide: await startReceiver() }
  const history = emptyHistory()
  const businesses = [await makeBusiness(door(), 'one'), await makeBusiness(door(), 'two')]
  await call(door(), 'POST', '/object/association/action/create', declaration)
  const parallels = { steady: 1, moody: 1, wide: 16 }
  const subscriptions = await Promise.all(
    (['steady', 'moody', 'wide'] as const).map(async (name) => {
      const [receiver, parallel] = [receivers[name], parallels[name]]
      return { name, receiver, parallel, id: await subscribe(door(), receiver, parallel) }
    }),
  )
  const { seed, clients, rest } = options
  const elsewhere = await startReceiver()
  const load = startLoad({ seed, clients, rest, businesses, receiver: elsewhere.url, history, door })
  let probes = 0
  return {
    servers,
    complaints,
    history,
    load,
    clock,
    ...('disk' in storage && { disk: storage.disk }),
    ...('database' in storage && { database: storage.database }),
    config: () => readConfig(storage.direct(), {}),
    async respawn(nth) {
      servers[nth] = await spawn()
    },
    async answersAgain() {
      const started = performance.now()
      for (const server of servers) {
        // Every server, not only the first one to recover.
        const body = { bk_biz_name: `probe ${++probes}`, bk_biz_maintainer: 'amy' }
        while (!(await isDone(server.url, body)))
          if (performance.now() - started > 60_000) return Number.POSITIVE_INFINITY
      }
      return performance.now() - started
    },
    upset() {
      for (const { answer } of [receivers.moody, receivers.wide]) answer(() => moodOf(random))
    },
    cheerUp() {
      for (const { answer } of [receivers.moody, receivers.wide]) answer({})
    },
    told: (facts) =>
      subscriptions.map(({ name, receiver, id, parallel }) => ({
        name,
        parallel,
        expected: expectedBy(id, facts, parallel),
        received: placesOf(receiver, facts),
      })),
    deliveries: () =>
      describeDeliveries(
        readConfig(storage.direct(), {}),
        subscriptions.map(({ id }) => id),
      ),
    async close() {
      await load.stop()
      await Promise.all(servers.map((server) => server.end('SIGKILL')))
      await Promise.all([...Object.values(receivers), elsewhere].map((receiver) => receiver.close()))
      await storage.close()
      clock?.remove()
    },
  }
}

function noteComplaints(complaints: Map<string, number>, text: string): void {
  for (const [line] of text.matchAll(/^\{.*"level":50.*\}$/gm)) {
    const { msg, err } = JSON.parse(line) as { msg: string; err?: { message: string; code?: string } }
    const complaint = `${msg}: ${err?.message} ${err?.code ?? ''}`
    complaints.set(complaint, (complaints.get(complaint) ?? 0) + 1)
  }
}

const moodOf = (random: Random): Reply => (random.next() < 0.97 ? {} : random.among(failures))

async function isDone(url: string, body: object): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(false), 3_000)
  const done = call(url, 'POST', '/biz/0', body).then(
    (answer) => answer.result || answer.bk_error_code === 1199014,
    () => false,
  )
  const result = await Promise.race([done, late.promise])
  clearTimeout(timer)
  if (!result) await new Promise((resolve) => setTimeout(resolve, 50))
  return result
}

async function makeBusiness(url: string, name: string): Promise<number> {
  const made = await call<{ bk_biz_id: number }>(url, 'POST', '/biz/0', { bk_biz_name: name, bk_biz_maintainer: 'amy' })
  return made.data.bk_biz_id
}

async function subscribe(url: string, receiver: Receiver, parallel: number): Promise<number> {
  const body = {
    subscription_name: receiver.url,
    callback_url: receiver.url,
    subscription_form: form.join(','),
    timeout: 2,
    parallel,
  }
  const made = await call<{ subscription_id: number }>(url, 'POST', '/event/subscribe/0/0', body)
  return made.data.subscription_id
}

function expectedBy(subscription: number, { log }: Facts, parallel: number): Expected[] {
  const from = log.findIndex(({ object, instance }) => object === 'subscription' && instance === subscription)
  return log.slice(from + 1).flatMap(({ position, events, object, instance }) =>
    events
      // Every subscriber receives a reset of the history.
      .filter(({ name }) => form.includes(name) || name === 'history')
      .map(({ index }) => {
        // The record of a business also has the events of the sets and modules built into it, each an instance of its own.
        const part = parallel > 1 && object === 'biz' ? ` ${index}` : ''
        return { position: position ?? 0, index, instance: `${object}/${instance}${part}` }
      }),
  )
}

/** An event without a record in the log has position 0, where no event is expected. */
function placesOf({ requests }: Receiver, { log }: Facts): Place[] {
  const positions = new Map(log.map(({ transaction, ordinal, position }) => [`${transaction}_${ordinal}`, position]))
  return requests.map(({ headers }) => {
    const [, , transaction, ordinal, index] = String(headers['webhook-id']).split('_')
    return { position: positions.get(`${transaction}_${ordinal}`) ?? 0, index: Number(index) }
  })
}

async function embedded() {
  const disk = makeDisk()
  const flags = [`--data-dir=${join(disk.path, 'data')}`]
  return { disk, flags, direct: () => flags, close: async () => disk.remove() }
}
