import { changesAnything, type Endpoint } from '@mainline/contract'
import { describe, expect, it } from 'vitest'
import { endpoints } from '../../packages/server/src/commands/openapi.ts'
import { eachEngine, startServer, type TestServer } from '../../packages/server/src/testing/harness.ts'
import { bearing, makeToken } from '../../packages/server/src/testing/identities.ts'
import { type Call, candidates, combinations, Ids, idNames, isWord, requestOf } from './requests.ts'
import { differences, rowsOf } from './rows.ts'

/** Names of everything in the account carry the mark; nothing that is sent by others does. */
const ours = { account: 'alpha', mark: 'ALPHA' }
const theirs = { account: 'beta', mark: 'BETA' }
type Account = typeof ours

const walked = endpoints.filter((endpoint) => !endpoint.anonymous)
const reading = walked.filter((endpoint) => !changesAnything(endpoint))
const removing = (endpoint: Endpoint) => endpoint.method === 'DELETE' || /^(archive|delete|remove)_/.test(endpoint.name)

type Credentials = (account: string) => Record<string, string>
const open: Credentials = (account) => ({ HTTP_BK_SUPPLIER_ACCOUNT: account })

/** A watch waits for events when there are none: it has answered nothing of anybody's either. */
const patience = 3_000

async function ask({ url }: TestServer, { method, path, body }: Call, headers: Record<string, string>) {
  try {
    const answer = await fetch(`${url}/api/v3${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(patience),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { text, envelope: JSON.parse(text) as { result: boolean; bk_error_code: number; data: unknown } }
  } catch (error) {
    if ((error as Error).name !== 'TimeoutError') throw error
    return { text: '', envelope: { result: false, bk_error_code: 0, data: null } }
  }
}

/** Makes one of everything that can be made, twice over, since one thing may need another first. */
async function furnish(server: TestServer, { account, mark }: Account, headers: Record<string, string>) {
  const ids = new Ids()
  const done = new Set<string>()
  const making = walked.filter((endpoint) => changesAnything(endpoint) && !removing(endpoint))
  // Levels last: until then sets stand right below their business.
  const isLevel = ({ name }: Endpoint) => Number(name.includes('mainline'))
  const ordered = making.toSorted((one, other) => isLevel(one) - isLevel(other))
  for (const endpoint of [...ordered, ...ordered]) {
    const choose = (name: string) => {
      if (name === 'bk_supplier_account') return account
      return isWord(name) ? undefined : ids.of(name === 'bk_parent_id' ? 'bk_biz_id' : name).at(-1)
    }
    const { envelope } = await ask(server, requestOf(endpoint, choose, mark), headers)
    ids.collect(envelope.data)
    if (envelope.result) done.add(endpoint.name)
  }
  return { ids, done }
}

/** Requests in the name of one account that carry ids of another, alone and mixed with its own. */
function* foreignRequests(endpoint: Endpoint, own: Ids, foreign: Ids, account: string, most: number): Generator<Call> {
  const options = (name: string) => [
    ...candidates(foreign, name),
    ...own.of(name).slice(-1),
    ...(isWord(name) ? [undefined] : []),
  ]
  for (const choose of combinations(idNames(endpoint), options, most)) {
    yield requestOf(endpoint, (name) => (name === 'bk_supplier_account' ? account : choose(name)))
  }
}

/** As account after account; `most` bounds the requests to one endpoint. */
async function walk(server: TestServer, as: Credentials, most: number) {
  const [alpha, beta] = [as(ours.account), as(theirs.account)]
  const { ids: known, done } = await furnish(server, ours, alpha)
  const { ids: own } = await furnish(server, theirs, beta)
  const before = await rowsOf(server, ours.account)

  const seen = new Set<string>()
  for (const endpoint of reading) {
    for (const call of foreignRequests(endpoint, known, known, ours.account, most)) {
      if ((await ask(server, call, alpha)).text.includes(ours.mark)) seen.add(endpoint.name)
    }
  }
  expect(differences(before, await rowsOf(server, ours.account), ours.account), 'reading changes nothing').toEqual([])

  for (const endpoint of walked) {
    for (const call of foreignRequests(endpoint, own, known, theirs.account, most)) {
      const { text } = await ask(server, call, beta)
      expect(text, JSON.stringify(call)).not.toContain(ours.mark)
    }
    const after = await rowsOf(server, ours.account)
    expect(differences(before, after, ours.account), endpoint.name).toEqual([])
  }

  // From what is built upon others to what they are built upon.
  for (const endpoint of walked.filter(removing).toReversed()) {
    for (const call of foreignRequests(endpoint, known, known, ours.account, most)) {
      if ((await ask(server, call, alpha)).envelope.result) done.add(endpoint.name)
    }
  }
  return { seen, done }
}

eachEngine((engine) => {
  it('an account can neither read nor change anything of another by any id, with open identity', async () => {
    const server = await startServer(engine)
    const { seen, done } = await walk(server, open, 120)
    // The same requests do reach what is there, for the account that it belongs to.
    expect(seen.size).toBeGreaterThan(reading.length * 0.8)
    expect(done.size).toBeGreaterThan((walked.length - reading.length) * 0.8)
    await server.close()
  })

  it('nor with a token that is confined to it', async () => {
    const server = await startServer(engine, { flags: ['--auth=token'] })
    const tokens = new Map<string, string>()
    for (const { account } of [ours, theirs]) tokens.set(account, await makeToken(server, { account }))
    const as: Credentials = (account) => bearing(tokens.get(account) ?? '')
    await walk(server, as, 20)

    const before = await rowsOf(server, ours.account)
    const denied = { result: false, bk_error_code: 9900403, data: null }
    for (const endpoint of walked) {
      const naming = (account: string) => requestOf(endpoint, (name) => (name === 'bk_supplier_account' ? account : 1))
      const { account } = ours
      const header = { ...as(theirs.account), HTTP_BK_SUPPLIER_ACCOUNT: account }
      expect((await ask(server, naming(theirs.account), header)).envelope, endpoint.name).toMatchObject(denied)
      const named = JSON.stringify(naming(account)).includes(account)
      if (named) expect((await ask(server, naming(account), as(theirs.account))).envelope).toMatchObject(denied)
    }
    expect(differences(before, await rowsOf(server, ours.account), ours.account)).toEqual([])
    await server.close()
  })
})

describe('every endpoint', () => {
  it.each(walked)('calls the account of its path by one name: $path', ({ path }) => {
    const named = [...path.matchAll(/:(\w*(account|owner)\w*)/g)].map(([, name]) => name)
    for (const name of named) expect(name).toBe('bk_supplier_account')
  })
})
