import type { Endpoint } from '@mainline/contract'
import { endpoints } from '@mainline/contract/endpoints'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createGuard, isAllowed, verdictOn } from '../../packages/server/src/areas/privileges/index.ts'
import { isFull } from '../../packages/server/src/testing/full.ts'
import { type Answer, eachEngine, startServer, type TestServer } from '../../packages/server/src/testing/harness.ts'
import { type Case, casesOf, kinds } from './cases.ts'
import { makeWorld, none, type Person, people, userOf, type World } from './world.ts'

/** A well-formed path that names only what the verdict depends on. */
function pathOf({ path, params, query }: Endpoint, given: Record<string, unknown> = {}): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    if (name === 'bk_supplier_account') return '0'
    return encodeURIComponent(String(given[name] ?? nothingOf(params[name] as Schema)))
  })
  return query?.dry_run ? `${filled}?dry_run=true` : filled
}

type Schema = { type?: string; maximum?: number; const?: unknown; anyOf?: Schema[] }
function nothingOf({ type, maximum = none, const: only, anyOf }: Schema): unknown {
  if (anyOf?.[0]) return nothingOf(anyOf[0])
  return only ?? (type === 'integer' ? Math.min(none, maximum) : 'nosuch')
}

type Verdict = Pick<Answer, 'status' | 'bk_error_code'>

const isRefused = ({ status, bk_error_code }: Verdict): boolean => {
  expect(status).toBeLessThan(500)
  expect(status === 403).toBe(bk_error_code === 9900403)
  return status === 403
}

it('covers every operation, and each declares what it requires', () => {
  expect(endpoints.length).toBeGreaterThan(50)
  expect(new Set(endpoints.map((endpoint) => endpoint.name)).size).toBe(endpoints.length)
  expect(endpoints.filter((endpoint) => !endpoint.allow?.need)).toEqual([])
})

it('allows everyone to change only their own settings, favourites and history', () => {
  const open = endpoints.filter(
    ({ name, allow }) => allow.need === 'nothing' && !/user_custom|favorite|history/.test(name),
  )
  expect(open.map(({ name }) => name).filter((name) => !/^(search|get|find|list|watch|preview)_/.test(name))).toEqual(
    [],
  )
})

eachEngine((engine) => {
  let server: TestServer
  let world: World
  beforeAll(async () => {
    server = await startServer(engine)
    world = await makeWorld(server)
  })
  afterAll(() => server.close())

  /** A stream that starts was permitted; it would not end by itself. */
  async function streamed(
    { method, takes, streams = 'text/csv' }: Endpoint,
    path: string,
    user: string,
  ): Promise<Verdict> {
    const answer = await fetch(`${server.url}/api/v3${path}`, {
      method,
      headers: { BK_User: user },
      ...(takes && { body: new Uint8Array() }),
    })
    if (!answer.headers.get('content-type')?.startsWith(streams)) {
      return { ...((await answer.json()) as Answer), status: answer.status }
    }
    await answer.body?.cancel()
    return { status: answer.status, bk_error_code: 0 }
  }
  const verdict = (endpoint: Endpoint, { params, body }: Case, user: string): Promise<Verdict> =>
    endpoint.streams
      ? streamed(endpoint, pathOf(endpoint, params), user)
      : server.call(
          endpoint.method,
          pathOf(endpoint, params),
          endpoint.method === 'GET' ? undefined : endpoint.hasBody ? (body ?? {}) : undefined,
          { BK_User: user },
        )
  const explained = async (endpoint: Endpoint, about: Record<string, unknown>, user: string) => {
    const query = new URLSearchParams({ operation: endpoint.name, ...(about as Record<string, string>) })
    const answer = await server.call<{ allowed: boolean; reason: string }>(
      'GET',
      `/topo/privilege/explain/0/${user}?${query}`,
    )
    expect(answer).toMatchObject({ result: true, data: { reason: expect.stringMatching(/./) } })
    return answer.data.allowed
  }
  /** The users that are permitted. */
  async function passing(each: Case, pass: (user: string) => Promise<boolean>): Promise<Person[]> {
    const verdicts = await Promise.all(people.map((person) => pass(userOf(person, each.privilege, each.entry))))
    return people.filter((_, index) => verdicts[index])
  }

  it('serves every operation', async () => {
    const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>
    }
    const served = Object.values(document.paths).flatMap((path) => Object.values(path).map((each) => each.operationId))
    expect(served.toSorted()).toEqual(endpoints.map((endpoint) => endpoint.name).toSorted())
  })

  // Every kind of demand is tried on both engines below, so `npm test` tries the operations on one.
  it.runIf(isFull || engine === 'sqlite').each(endpoints)(
    '$name asks for what it declares, and explains it so: $allow',
    async (endpoint) => {
      for (const each of casesOf(endpoint.allow, world)) {
        const expected = people.filter((person) => each.allowed.includes(person))
        const admitted = await passing(each, async (user) => !isRefused(await verdict(endpoint, each, user)))
        expect(admitted, `${each.how}: who is let in`).toEqual(expected)
        const { about } = each
        if (!about) continue
        const explains = await passing(each, (user) => explained(endpoint, about, user))
        expect(explains, `${each.how}: who would be, as explained`).toEqual(expected)
      }
    },
  )

  it.each(kinds)('a request that requires %o is permitted to its holders', async (allow) => {
    const { storage } = server.service
    const guard = createGuard(storage, ['admin'])
    const operation = 'asked'
    const asking = [{ name: operation, allow }] as Endpoint[]
    const who = (user: string) => ({ user, account: '0', requestId: '' })
    for (const each of casesOf(allow, world)) {
      const expected = people.filter((person) => each.allowed.includes(person))
      const admitted = await passing(each, async (user) => {
        const guarding = Promise.resolve(guard(who(user), allow, each.params ?? {}, each.body))
        return guarding.then(
          () => true,
          (error) => {
            expect(error).toMatchObject({ code: 9900403 })
            return false
          },
        )
      })
      expect(admitted, `${each.how}: who is let in`).toEqual(expected)
      const { about } = each
      if (!about) continue
      const explains = await passing(each, async (user) =>
        isAllowed(await verdictOn(storage, ['admin'], asking, who(user), { operation, about })),
      )
      expect(explains, `${each.how}: who would be, as explained`).toEqual(expected)
    }
  })
})
