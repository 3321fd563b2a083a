import type { Endpoint } from '@mainline/contract'
import { describe, expect, it } from 'vitest'
import { bearing, makeToken } from '../../packages/server/src/testing/data/identities.ts'
import { isFull } from '../../packages/server/src/testing/full.ts'
import { eachEngine, startServer, type TestServer } from '../../packages/server/src/testing/harness.ts'
import { readLog } from '../../packages/server/src/testing/inspect/log.ts'
import { type Account, ask, furnish, reading, removing, walked } from './furnish.ts'
import { type Call, candidates, combinations, type Ids, idNames, isWord, requestOf, widest } from './requests.ts'
import { differences, rowsOf } from './rows.ts'

const ours = { account: 'alpha', mark: { name: 'ALPHA', user: 'ann', network: '10.77.' } }
const theirs = { account: 'beta', mark: { name: 'BETA', user: 'bob', network: '10.88.' } }
/** In what the other account sends, nothing identifies it. */
const isOurs = (text: string) => text.includes(ours.mark.name) || text.includes(ours.mark.network)

type Credentials = (account: string) => Record<string, string>
const open: Credentials = (account) => ({ HTTP_BK_SUPPLIER_ACCOUNT: account })

/** Requests of one account that contain ids of another, alone and mixed with its own. */
function* foreignRequests(
  endpoint: Endpoint,
  own: Ids,
  foreign: Ids,
  { account, mark }: Account,
  most: number,
): Generator<Call> {
  const options = (name: string) => [
    // Identifiers that are words may exist in several accounts, so the example's own is tried, and one of the other account.
    ...(isWord(name) ? [undefined, ...foreign.of(name).slice(-1)] : candidates(foreign, name)),
    ...own.of(name).slice(-1),
  ]
  for (const choose of combinations(idNames(endpoint), options, most)) {
    const call = requestOf(endpoint, (name) => (name === 'bk_supplier_account' ? account : choose(name)), mark)
    yield call
    if (endpoint.effect !== 'write' && call.body !== undefined) yield widest(call)
  }
}

/** The records of an account, sealed so that receipts for them exist. */
async function sealedPositions({ service: { storage } }: TestServer, account: string): Promise<number[]> {
  await readLog(storage.read)
  await storage.seals.sealAll()
  const rows = await storage.read.selectFrom('log').select('position').where('account', '=', account).execute()
  return rows.flatMap(({ position }) => position ?? [])
}

/** Two accounts with one of everything, and the stored rows of ours before the other one acts. */
async function settle(server: TestServer, as: Credentials) {
  const { ids: known, done } = await furnish(server, ours, as(ours.account))
  for (const position of await sealedPositions(server, ours.account)) known.add('position', position)
  // Rows of tables without an account are still ours.
  const before = await rowsOf(server, ours.account)
  const { ids: own } = await furnish(server, theirs, as(theirs.account))
  const unchanged = async (what: string) =>
    expect(differences(before, await rowsOf(server, ours.account), ours.account), what).toEqual([])
  return { known, own, done, unchanged }
}

type Settled = Awaited<ReturnType<typeof settle>>

const together = 8

/** ACCOUNTS_REQUESTS=12 sends more of them; last run with it on 2026-11-18. */
const requestsEach = Number(process.env.ACCOUNTS_REQUESTS ?? 4)

/** The other account sends our ids to every endpoint; the largest number of requests per endpoint. */
async function trespass(server: TestServer, as: Credentials, { known, own, unchanged }: Settled, most: number) {
  const changing: string[] = []
  for (const endpoint of walked) {
    for (const call of foreignRequests(endpoint, own, known, theirs, most)) {
      const { text } = await ask(server, call, as(theirs.account))
      expect(isOurs(text), `${JSON.stringify(call)} answers ${text}`).toBe(false)
    }
    if (endpoint.effect === 'write') changing.push(endpoint.name)
    // All stored rows are compared, which takes long, so requests are sent in batches.
    if (changing.length >= together) await unchanged(changing.splice(0).join(', '))
  }
  await unchanged(changing.join(', '))
}

/** Watches that started from our cursors before the other account acted: they receive its own events and no others. */
async function resume(server: TestServer, as: Credentials) {
  const call = { method: 'POST', type: 'application/json', patience: 2_000 }
  const watch = (resource: string, body: object): Call => ({ ...call, path: `/event/watch/resource/${resource}`, body })
  // Not host_relation, whose events contain only ids.
  for (const resource of ['biz', 'set', 'module', 'host', 'host_identifier']) {
    const { text, envelope } = await ask(server, watch(resource, { bk_start_from: 1 }), as(ours.account))
    expect(isOurs(text), resource).toBe(true)
    const { bk_cursor } = (envelope.data as { bk_events: { bk_cursor: string }[] }).bk_events[0] ?? {}
    const watched = await ask(server, watch(resource, { bk_cursor }), as(theirs.account))
    const path = `/event/stream?resource=${resource}`
    const stream: Call = { ...call, method: 'GET', path, body: undefined, patience: 20_000, until: 'bk_detail' }
    const named = await ask(server, { ...stream, path: `${path}&bk_cursor=${bk_cursor}` }, as(theirs.account))
    const resumed = await ask(server, stream, { ...as(theirs.account), 'last-event-id': `${bk_cursor}` })
    for (const answer of [watched, named, resumed]) {
      expect(isOurs(answer.text), `${resource}: ${answer.text}`).toBe(false)
      expect(answer.text, resource).toContain('bk_detail')
    }
  }
}

/** The effect of the same requests for their owner: which endpoints show and which remove something of ours. */
async function reach(server: TestServer, as: Credentials, { known, unchanged }: Settled) {
  const [seen, done] = [new Set<string>(), new Set<string>()]
  const askOwn = async (endpoint: Endpoint, isReached: (answer: Awaited<ReturnType<typeof ask>>) => boolean) => {
    for (const call of foreignRequests(endpoint, known, known, ours, 20)) {
      if (isReached(await ask(server, call, as(ours.account)))) return true
    }
    return false
  }
  for (const endpoint of reading) if (await askOwn(endpoint, ({ text }) => isOurs(text))) seen.add(endpoint.name)
  await unchanged('reading')
  // From dependent records to those they depend on.
  for (const endpoint of walked.filter(removing).toReversed()) {
    if (await askOwn(endpoint, ({ envelope }) => envelope.result)) done.add(endpoint.name)
  }
  return { seen, done }
}

/** Their answers contain only ids and fixed words, so no mark identifies the owner; tests of associations cover them. */
const idsOnly = ['search_instance_association', 'search_related_instance_association', 'search_object_unique']

eachEngine((engine) => {
  // Both engines run the same statements, so `npm test` tries one identity mode on each; `npm run test:full` tries all four.
  const tries = (other: typeof engine) => it.runIf(isFull || engine === other)

  tries('postgres')(
    'an account can neither read nor change anything of another by any id, with open identity',
    async () => {
      const server = await startServer(engine)
      const settled = await settle(server, open)
      await trespass(server, open, settled, requestsEach)
      await resume(server, open)
      // Ensures that requests were not all refused for another reason. Some answers contain nothing of any account.
      const { seen, done } = await reach(server, open, settled)
      expect(seen.size).toBeGreaterThan((reading.length - idsOnly.length) * 0.55)
      expect(done.union(settled.done).size).toBeGreaterThan((walked.length - reading.length) * 0.7)
      await server.close()
    },
  )

  tries('sqlite')('nor with a token that is confined to it', async () => {
    const server = await startServer(engine, { flags: ['--auth=token'] })
    const tokens = new Map<string, string>()
    for (const { account } of [ours, theirs]) tokens.set(account, await makeToken(server, { account }))
    const as: Credentials = (account) => bearing(tokens.get(account) ?? '')
    const settled = await settle(server, as)
    await trespass(server, as, settled, 2)

    const denied = { result: false, bk_error_code: 9900403, data: null }
    for (const endpoint of walked) {
      const naming = (account: string) => requestOf(endpoint, (name) => (name === 'bk_supplier_account' ? account : 1))
      const header = { ...as(theirs.account), HTTP_BK_SUPPLIER_ACCOUNT: ours.account }
      expect((await ask(server, naming(theirs.account), header)).envelope, endpoint.name).toMatchObject(denied)
      const call = naming(ours.account)
      if (!JSON.stringify(call).includes(ours.account)) continue
      expect((await ask(server, call, as(theirs.account))).envelope, endpoint.name).toMatchObject(denied)
    }
    await settled.unchanged('naming our account')
    await server.close()
  })
})

describe('every endpoint', () => {
  it.each(walked)('calls the account of its path by one name: $path', ({ path }) => {
    const named = [...path.matchAll(/:(\w*(account|owner)\w*)/g)].map(([, name]) => name)
    for (const name of named) expect(name).toBe('bk_supplier_account')
  })
})
