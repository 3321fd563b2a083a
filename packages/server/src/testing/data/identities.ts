import { call, type EngineName, makeStore, startServer, type TestServer } from '../harness.ts'

type Asked = Partial<Parameters<TestServer['service']['tokens']['create']>[1]>

/** The text of a new token; by default an administrator's, valid for an hour. */
export async function makeToken({ service }: TestServer, asked: Asked = {}): Promise<string> {
  const whole = { user: 'admin', account: '0', name: '', readOnly: false, lifetimeMs: 3_600_000, ...asked }
  return (await service.tokens.create('test', whole)).text
}

export const idOf = (token: string): number => Number(token.split('_')[1])

export const bearing = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

/** Calls with a token. */
export const callWith =
  (server: Pick<TestServer, 'url'>, token: string) =>
  <Data = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) =>
    call<Data>(server.url, method, path, body, { ...bearing(token), ...headers })

/** Two servers on one store; on SQLite, which allows one, the same server twice. */
export async function startPair(engine: EngineName, flags: string[]): Promise<[TestServer, TestServer]> {
  const store = await makeStore(engine)
  const first = await startServer(engine, { flags, store })
  return [first, engine === 'postgres' ? await startServer(engine, { flags, store }) : first]
}
