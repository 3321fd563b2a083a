// One server in its own process, with an attacker and its neighbour; and statistics of the process.
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { insertMany } from '../../../packages/server/src/storage/index.ts'
import { associate, declare } from '../../../packages/server/src/testing/data/associations.ts'
import { makeBusiness } from '../../../packages/server/src/testing/data/factories.ts'
import { makeShop, putHosts } from '../../../packages/server/src/testing/data/hosts.ts'
import { makeToken } from '../../../packages/server/src/testing/data/identities.ts'
import {
  type EngineName,
  makeStore,
  startServer,
  type TestServer,
  type TestStore,
} from '../../../packages/server/src/testing/harness.ts'
import { type ServerProcess, spawnServer } from '../../../packages/server/src/testing/process.ts'
import type { AttackOrder } from './attack.ts'
import type { Answers, attackers } from './attackers.ts'
import { live, type Noticed, p99, searchAll } from './neighbour.ts'

export type AttackerName = keyof typeof attackers

export interface Street {
  readonly server: ServerProcess
  /** The results of an attack, as seen by the neighbour. */
  attack(attacker: AttackerName, milliseconds: number): Promise<Outcome>
  /** Response times of the neighbour without an attack. */
  calm(milliseconds: number): Promise<Noticed>
  close(): Promise<void>
}

export interface Outcome extends Noticed {
  readonly p99Ms: number
  readonly answers: Answers
  /** The peak of resident memory above the value before the attack. */
  readonly grownMb: number
  /** Time after the attack until the server used at most a third of a processor. */
  readonly idleAfterMs: number
  /** How much longer the event loop took than on an idle machine: 1 if it never waited for a processor. */
  readonly slowdown: number
}

interface Tokens {
  readonly attackers: Record<AttackerName, string>
  readonly neighbour: string
  /** The businesses that the attacking maintainer and the neighbour maintain. */
  readonly theirs: number
  readonly ours: number
  readonly hub: number
}

const flags = ['--auth=token', '--callback-allow=127.0.0.1/32']

export async function openStreet(engine: EngineName, hosts: number): Promise<Street> {
  const store = await makeStore(engine)
  const tokens = await furnish(engine, store, hosts)
  const server = await spawnServer(store, flags, { NODE_OPTIONS: '--max-semi-space-size=8' })
  return {
    server,
    async calm(milliseconds) {
      // Threads for patterns start on first use: their memory does not count as the attacker's.
      await searchAll(server.url, tokens.neighbour)
      return live(server.url, tokens.neighbour, tokens.ours, milliseconds)
    },
    attack: (attacker, milliseconds) => attack(server, tokens, attacker, milliseconds),
    async close() {
      await server.end('SIGTERM')
      store.remove()
    },
  }
}

async function furnish(engine: EngineName, store: TestStore, hosts: number): Promise<Tokens> {
  // In open mode, so that the setup needs no token.
  const server = await startServer(engine, { store })
  const { business: theirs, web } = await makeShop(server, 'theirs')
  await putHosts(server, web, hosts)
  const ours = await makeBusiness(server, 'ours')
  const maintain = (business: number, user: string) =>
    server.call('PUT', `/biz/0/${business}`, { bk_biz_maintainer: user })
  await maintain(theirs, 'maintainer')
  await maintain(ours, 'neighbour')
  await saveLargeQueries(server, theirs)
  const hub = await associateAll(server)
  await grant(server, 'holder', 'event')
  await grant(server, 'modeller', 'model')
  await grant(server, 'auditor', 'audit')
  const tokens = {
    attackers: {
      anonymous: '',
      reader: await makeToken(server, { user: 'reader', readOnly: true }),
      maintainer: await makeToken(server, { user: 'maintainer' }),
      eventHolder: await makeToken(server, { user: 'holder' }),
      modeller: await makeToken(server, { user: 'modeller' }),
      auditor: await makeToken(server, { user: 'auditor' }),
      hoarder: await makeToken(server, { user: 'maintainer' }),
      stranger: await makeToken(server, { user: 'stranger' }),
      follower: await makeToken(server, { user: 'follower' }),
    },
    ...{ neighbour: await makeToken(server, { user: 'neighbour' }), theirs, ours, hub },
  }
  await server.close()
  return tokens
}

/** The largest allowed saved query. */
async function saveLargeQueries(server: TestServer, business: number): Promise<void> {
  const info = JSON.stringify({ condition: [], note: '\\"'.repeat(250_000) })
  for (let nth = 0; nth < 20; nth++) {
    await server.call('POST', '/userapi', { bk_biz_id: business, name: `large ${nth}`, info })
  }
}

/** A chain of all hosts, and one that all others are associated with. */
async function associateAll(server: TestServer): Promise<number> {
  const { bk_obj_asst_id: name, id } = await declare(server, 'host', 'host')
  const { storage } = server.service
  const hosts = await storage.read.selectFrom('host').select(['id', 'host_id']).orderBy('id').execute()
  const [hub, ...others] = hosts
  const [before, after] = [hosts.at(-2)?.host_id, hosts.at(-1)?.host_id]
  if (!hub || !before || !after) throw new Error('there are too few hosts')
  const { data: first } = await associate(server, name, before, after)
  const between = (source: typeof hub, target: typeof hub, nth: number) => ({
    ...{ id: first.id + 1 + nth, account: '0', association: id, source_node: null, target_node: null },
    ...{ source_id: source.host_id, source_host: source.id, target_id: target.host_id, target_host: target.id },
    ...{ single_source: null, single_target: null },
  })
  const rows = others.map((host, nth) => between(hub, host, nth))
  const chain = others.slice(2).map((host, nth) => between(others[nth] ?? hub, host, rows.length + nth))
  await storage.upkeep((writer) => insertMany(writer, 'instance_association', [...rows, ...chain]))
  return hub.host_id
}

async function grant(server: TestServer, user: string, right: string): Promise<void> {
  await server.call('POST', '/topo/privilege/group/0', { group_name: right, user_list: user })
  const groups = await server.call<{ group_id: string }[]>('POST', '/topo/privilege/group/0/search', {
    group_name: right,
  })
  const rights = { sys_config: { global_busi: [], back_config: [right] }, model_config: {} }
  await server.call('POST', `/topo/privilege/group/detail/0/${groups.data[0]?.group_id}`, rights)
}

async function attack(
  server: ServerProcess,
  tokens: Tokens,
  attacker: AttackerName,
  milliseconds: number,
): Promise<Outcome> {
  const { url } = server
  const before = residentMb(server)
  const scheduled = schedule(server)
  const { theirs: business, hub } = tokens
  const order: AttackOrder = { attacker, attacked: { url, token: tokens.attackers[attacker], business, hub } }
  const worker = new Worker(new URL('./attack.ts', import.meta.url), { workerData: order })
  const ended = new Promise<Answers>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  let most = before
  const sampling = setInterval(() => {
    most = Math.max(most, residentMb(server))
  }, 50)
  // Until it has started.
  await pause(300)
  const noticed = await live(url, tokens.neighbour, tokens.ours, milliseconds)
  const { running, waiting } = schedule(server)
  const slowdown = 1 + (waiting - scheduled.waiting) / (running - scheduled.running)
  worker.postMessage('stop')
  const answers = await ended
  const idle = await untilIdle(server)
  clearInterval(sampling)
  await worker.terminate()
  return { ...noticed, ...idle, p99Ms: p99(noticed.latenciesMs), slowdown, answers, grownMb: most - before }
}

/** The system counts CPU time in hundredths of a second. */
const tickMs = 10
const windowMs = 300

/** Gives up after ten seconds. */
async function untilIdle(server: ServerProcess): Promise<Pick<Outcome, 'idleAfterMs'>> {
  const started = performance.now()
  for (;;) {
    const [used, since] = [processorMs(server), performance.now()]
    await pause(windowMs)
    const share = (processorMs(server) - used) / (performance.now() - since)
    if (share > 1 / 3 && since - started < 10_000) continue
    return { idleAfterMs: since - started }
  }
}

const read = (server: ServerProcess, file: string) => readFileSync(`/proc/${server.child.pid}/${file}`, 'utf8')

/** Of all its threads. */
function processorMs(server: ServerProcess): number {
  const fields = read(server, 'stat')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

/** For the thread of the event loop: how long it ran, and how long it waited for a processor, in nanoseconds. */
function schedule(server: ServerProcess): { running: number; waiting: number } {
  const [running = 0, waiting = 0] = read(server, `task/${server.child.pid}/schedstat`).split(' ').map(Number)
  return { running, waiting }
}

const residentMb = (server: ServerProcess): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(read(server, 'status'))?.[1] ?? 0) / 1024
