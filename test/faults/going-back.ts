// What must hold when a database goes back to an earlier state under running servers, by any means.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { watch } from '../../packages/server/src/testing/clients/watching.ts'
import { findRecords, findSets, makeBusiness, makeSet } from '../../packages/server/src/testing/data/factories.ts'
import { makeHost, searchHosts } from '../../packages/server/src/testing/data/hosts.ts'
import { entry, type Filter } from '../../packages/server/src/testing/data/queries.ts'
import { subscribe } from '../../packages/server/src/testing/data/subscriptions.ts'
import type { TestServer } from '../../packages/server/src/testing/harness.ts'
import { type Received, type Receiver, startReceiver } from '../../packages/server/src/testing/servers/receiver.ts'

/** The longest time until a server serves from the database that has gone back. */
const patienceMs = 30_000

export interface Fault {
  readonly servers: readonly TestServer[]
  /** Saves the state that the database will go back to. */
  keep(): Promise<void>
  /** Goes back; returns the servers that serve from then on. */
  goBack(): Promise<readonly TestServer[]>
  /** Number of clients that make other changes concurrently. */
  readonly load: number
}

const define = (server: TestServer, id: string) =>
  server.call('POST', '/object/attr', {
    bk_obj_id: 'set',
    bk_property_id: id,
    bk_property_name: id,
    bk_property_type: 'singlechar',
    bk_supplier_account: '0',
  })

async function readTree(server: TestServer, business: number, known = '') {
  const answer = await fetch(`${server.url}/api/v3/topo/inst/0/${business}`, { headers: { 'if-none-match': known } })
  return { status: answer.status, etag: answer.headers.get('etag') ?? '', text: await answer.text() }
}

const etagsOf = (servers: readonly TestServer[], business: number) =>
  Promise.all(servers.map(async (server) => (await readTree(server, business)).etag))

const namesOf = async (server: TestServer, business: number) =>
  (await findSets(server, business)).data?.info.map((row) => row.bk_set_name)

const bodyOf = ({ body }: Received) =>
  JSON.parse(body) as { obj_type: string; data: [{ cur_data: Record<string, unknown> }] }
const idOf = ({ headers }: Received) => headers['webhook-id'] as string
const isReset = (request: Received) => bodyOf(request).obj_type === 'history'
const setsIn = (requests: readonly Received[]) =>
  requests.filter((each) => !isReset(each)).map((each) => bodyOf(each).data[0].cur_data.bk_set_name)

/**
 * Two histories of the same length after a common start: all counters are equal at the end, everything else differs. No answer, ETag, cursor or
 * webhook id of the first may be mistaken for one of the second.
 */
export async function expectNothingOfTheLost({ servers, keep, goBack, load }: Fault): Promise<void> {
  const receiver = await startReceiver()
  const ending = new AbortController()
  try {
    const [first] = servers as [TestServer]
    const business = await makeBusiness(first)
    const loading = await startLoad(first, load, ending.signal)
    await subscribe(first, receiver, { subscription_form: 'setcreate' }, business)
    await makeSet(first, business, { bk_set_name: 'kept' })
    await receiver.received(1)
    // Progress is saved a moment after the confirmation.
    await pause(600)
    const { cursor: early } = await createdSince(first, { bk_start_from: 1 }, 'kept')
    await keep()
    const lost = await live(servers, business, 'lost', receiver)
    const stream = listen(first, ending.signal)
    await stream.opened
    // Every server reads the log once a second, and so has seen the records that will be lost.
    await pause(1_200)

    const after = await goBack()
    const [then] = after as [TestServer]
    loading.through(then)
    stream.from(then)
    await until(() => namesOf(then, business), ['idle pool', 'kept'])
    await live(after, business, 'new', receiver, lost)
    for (const [nth, server] of after.entries()) {
      await expectNewAlone(server, business, lost.etags[nth])
      await expectCursors(server, { early, late: lost.cursor })
    }
    await expectEvents(receiver)
    const { data } = await findRecords(then, { op_target: 'history' })
    assert.deepEqual(
      data.info.map(({ op_desc, operator }) => [op_desc, operator]),
      [['history reset', 'system']],
    )
    const wanted = new Set(['history', 'new 1', 'new 2', 'new 3'])
    await until(() => wanted.isSubsetOf(new Set(stream.names())), true)
  } finally {
    ending.abort()
    await receiver.close()
  }
}

interface Lived {
  readonly treesBefore: readonly string[]
  readonly etags: readonly string[]
  readonly cursor: string
}

/** One of the two histories, equally long: two sets, an attribute, and a set that has it. */
async function live(
  servers: readonly TestServer[],
  business: number,
  name: 'lost' | 'new',
  receiver: Receiver,
  before?: Lived,
): Promise<Lived> {
  const [first] = servers as [TestServer]
  for (const nth of [1, 2]) await retried(() => makeSet(first, business, { bk_set_name: `${name} ${nth}` }))
  const treesBefore = await etagsOf(servers, business)
  // The model is the same in both so far: only the changes of the business differ.
  for (const [nth, server] of servers.entries()) {
    const tree = await readTree(server, business, before?.treesBefore[nth])
    assert.equal(tree.status, 200, 'the ETag of a lost tree is still current')
  }
  assert.equal((await define(first, `${name}_field`)).bk_error_code, 0)
  await makeSet(first, business, { bk_set_name: `${name} 3`, [`${name}_field`]: 'x' })
  await until(() => setsIn(receiver.requests).includes(`${name} 3`), true)
  const etags = await etagsOf(servers, business)
  for (const server of servers) await until(async () => (await namesOf(server, business))?.includes(`${name} 3`), true)
  await retried(() => makeHost(first, { business }, { bk_host_name: name, bk_cpu: 4 }))
  for (const [nth, server] of servers.entries()) {
    assert.deepEqual(await hostsWith(server, ['bk_cpu', '$eq', 4]), [name], 'cached matches are of the lost history')
    await openAccount(server, 'made later', `${name} ${nth}`)
  }
  const { cursor } = await createdSince(first, { bk_start_from: 1 }, `${name} 3`)
  return { treesBefore, etags, cursor }
}

const hostsWith = async (server: TestServer, filter: Filter) =>
  (await searchHosts(server, { condition: [entry('host', [filter])] })).data.info.map(({ host }) => host.bk_host_name)

/** An account that a server has seen may be missing again. */
async function openAccount(server: TestServer, account: string, name: string): Promise<void> {
  const made = await server.call('POST', `/biz/${encodeURIComponent(account)}`, { bk_biz_name: name })
  assert.equal(made.bk_error_msg, '', 'a lost account is not created again')
}

async function expectNewAlone(server: TestServer, business: number, lostTag: string | undefined): Promise<void> {
  await until(() => namesOf(server, business), ['idle pool', 'kept', 'new 1', 'new 2', 'new 3'])
  const tree = await readTree(server, business, lostTag)
  assert.deepEqual([tree.status, tree.text.includes('new 3'), tree.text.includes('lost')], [200, true, false])
  const body = { bk_biz_id: business, bk_parent_id: business, bk_supplier_account: '0', bk_set_name: 'refused' }
  const refused = await server.call('POST', `/set/${business}`, { ...body, lost_field: 'x' })
  assert.equal(refused.bk_error_code, 1199011, 'an attribute of the lost model is still known')
}

/**
 * A cursor of the lost history is refused with the position to resume from; from there, and from before the fork, the new history is read completely.
 */
async function expectCursors(server: TestServer, { early, late }: { early: string; late: string }): Promise<void> {
  const gone = await watch(server, 'set', { bk_cursor: late })
  assert.deepEqual([gone.status, gone.bk_error_code], [410, 1199410])
  const resume = gone.data as unknown as { bk_cursor: string; position: number }
  for (const cursor of [early, resume.bk_cursor]) {
    const created = await createdSince(server, { bk_cursor: cursor }, 'new 3')
    assert.deepEqual(created.names, ['new 1', 'new 2', 'new 3'])
    const resets = (await watch(server, 'history', { bk_cursor: cursor })).data.bk_events
    assert.deepEqual(
      resets.map(({ bk_detail }) => bk_detail?.position),
      [resume.position],
    )
  }
}

/** All new events arrive, no webhook id was used for two different sets, and there is one reset. */
async function expectEvents(receiver: Receiver): Promise<void> {
  await until(() => new Set(['new 1', 'new 2', 'new 3']).isSubsetOf(new Set(setsIn(receiver.requests))), true)
  const names = new Map<string, unknown>()
  for (const request of receiver.requests.filter((each) => !isReset(each))) {
    const name = bodyOf(request).data[0].cur_data.bk_set_name
    assert.equal(names.get(idOf(request)) ?? name, name, 'a webhook id was used again')
    names.set(idOf(request), name)
  }
  // A second reset would arrive within this time.
  await pause(1_500)
  assert.equal(new Set(receiver.requests.filter(isReset).map(idOf)).size, 1)
}

async function until(look: () => unknown, expected: unknown): Promise<void> {
  for (const deadline = performance.now() + patienceMs; ; await pause(100)) {
    try {
      return assert.deepEqual(await look(), expected)
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
  }
}

/** While servers determine how far the database has gone back, changes may be refused temporarily. */
async function retried<T>(change: () => Promise<T>): Promise<T> {
  for (const deadline = performance.now() + patienceMs; ; await pause(100)) {
    try {
      return await change()
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
  }
}

/** The sets created from a cursor up to a given one, and the cursor after it. An answer covers a page of the log. */
async function createdSince(server: TestServer, start: Record<string, unknown>, last: string) {
  const names: unknown[] = []
  for (let from = start; ; ) {
    const { data, bk_error_msg } = await watch(server, 'set', { ...from, bk_event_types: ['create'] })
    if (!data?.bk_watched) throw new Error(`${bk_error_msg}; ${names} were created, and not ${last}`)
    names.push(...data.bk_events.map(({ bk_detail }) => bk_detail?.bk_set_name))
    const cursor = data.bk_events.at(-1)?.bk_cursor ?? ''
    if (names.includes(last)) return { names, cursor }
    from = { bk_cursor: cursor }
  }
}

/** Clients that rename sets of another business as fast as they are answered. */
async function startLoad(first: TestServer, clients: number, signal: AbortSignal) {
  let server = first
  const business = await makeBusiness(first)
  const work = async (set: number) => {
    for (let nth = 0; !signal.aborted; nth++) {
      const body = { bk_biz_id: business, bk_set_name: `busy ${set} ${nth}` }
      await server.call('PUT', `/set/${business}/${set}`, body).catch(() => pause(20))
    }
  }
  for (let client = 0; client < clients; client++) work(await makeSet(first, business))
  return {
    through(next: TestServer) {
      server = next
    },
  }
}

/** A client that resumes as the guide says: after the last event, or where a refusal tells it to. */
function listen(first: TestServer, signal: AbortSignal) {
  const seen: string[] = []
  const opened = Promise.withResolvers<void>()
  let [server, last] = [first, '']
  const read = async () => {
    const answer = await fetch(`${server.url}/api/v3/event/stream?resource=set&bk_cursor=${last}`, { signal })
    if (answer.status === 410) last = ((await answer.json()) as { data: { bk_cursor: string } }).data.bk_cursor
    if (!answer.ok) return
    let text = ''
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      opened.resolve()
      const parts = (text + chunk).split('\n\n')
      text = parts.pop() ?? ''
      for (const lines of parts.map((part) => part.split('\n'))) {
        last = lines.find((line) => line.startsWith('id: '))?.slice(4) ?? last
        const data = lines.find((line) => line.startsWith('data: '))
        if (!data) continue
        const { bk_resource, bk_detail } = JSON.parse(data.slice(6))
        seen.push(bk_resource === 'history' ? 'history' : bk_detail.bk_set_name)
      }
    }
  }
  const follow = async () => {
    while (!signal.aborted) {
      await read().catch(() => {})
      await pause(100)
    }
  }
  follow()
  return {
    opened: opened.promise,
    names: (): readonly string[] => seen,
    from(next: TestServer) {
      server = next
    },
  }
}
