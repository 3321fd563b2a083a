// One estate in two servers with different dialects, so that a request means the same to both.
import { makeBusiness, makeSet } from './data/factories.ts'
import { infoOf, saveQuery } from './data/queries.ts'
import { subscribe } from './data/subscriptions.ts'
import { type Answer, type EngineName, startServer, type TestServer } from './harness.ts'

export interface Found {
  count: number
  info: Record<string, unknown>[]
}

export interface Both {
  /** The dialect of the contract. */
  readonly strict: TestServer
  /** The dialect of the original. */
  readonly original: TestServer
  readonly business: number
  /** Each server's query over all hosts. */
  readonly queries: { readonly strict: string; readonly original: string }
  /** The same request to both servers. */
  ask<Data = Found>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<[strict: Answer<Data>, original: Answer<Data>]>
  close(): Promise<void>
}

/** A business `shop` with the sets b, c and a, and a query; and three subscriptions: one, two and three. */
export async function startBoth(engine: EngineName): Promise<Both> {
  const strict = await startServer(engine)
  const original = await startServer(engine, { flags: ['--compat', 'bk-cmdb'] })
  const business = await fill(strict)
  await fill(original)
  const save = (server: TestServer) => saveQuery(server, business, infoOf(), 'all hosts')
  return {
    strict,
    original,
    business,
    queries: { strict: await save(strict), original: await save(original) },
    ask: async <Data>(method: string, path: string, body?: unknown) => [
      await strict.call<Data>(method, path, body),
      await original.call<Data>(method, path, body),
    ],
    async close() {
      await strict.close()
      await original.close()
    },
  }
}

async function fill(server: TestServer): Promise<number> {
  const business = await makeBusiness(server, 'shop')
  for (const name of ['b', 'c', 'a']) await makeSet(server, business, { bk_set_name: name })
  for (const name of ['one', 'two', 'three']) {
    await subscribe(server, { url: 'http://127.0.0.1:9/' }, { subscription_name: name, system_name: name })
  }
  return business
}

/** The body of an error response. */
export const failure = (bk_error_code: number) => ({ result: false, bk_error_code, data: null })
