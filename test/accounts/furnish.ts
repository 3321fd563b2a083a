// One of everything that can be made, for an account, from the declarations alone.
import { changesAnything, type Endpoint, type Envelope } from '@mainline/contract'
import { endpoints } from '../../packages/server/src/commands/openapi.ts'
import { type Call, Ids, idNames, isWord, type Mark, requestOf, widest } from './requests.ts'

export interface Account {
  readonly account: string
  readonly mark: Mark
}

export const walked = endpoints.filter((endpoint) => !endpoint.anonymous)
export const reading = walked.filter((endpoint) => !changesAnything(endpoint))
export const removing = (endpoint: Endpoint) =>
  endpoint.method === 'DELETE' || /^(archive|delete|remove)_/.test(endpoint.name)

type Served = { readonly url: string }

export async function ask(
  { url }: Served,
  { method, path, body, type, patience }: Call,
  headers: Record<string, string>,
) {
  let text = ''
  try {
    const answer = await fetch(`${url}/api/v3${path}`, {
      method,
      headers: { 'content-type': type, ...headers },
      signal: AbortSignal.timeout(patience),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) text += part
    const isJson = answer.headers.get('content-type')?.startsWith('application/json')
    return { text, envelope: (isJson ? JSON.parse(text) : { data: null }) as Envelope }
  } catch (error) {
    // A stream has no end: what it said until then is its answer.
    if ((error as Error).name !== 'TimeoutError') throw error
    return { text, envelope: { result: false, bk_error_code: 0, data: null } }
  }
}

/** Makes one of everything that can be made, twice over, since one thing may need another first. */
export async function furnish(server: Served, { account, mark }: Account, headers: Record<string, string>) {
  const ids = new Ids()
  const done = new Set<string>()
  const making = walked.filter((endpoint) => changesAnything(endpoint) && !removing(endpoint))
  // Levels last: until then sets stand right below their business.
  const isLevel = ({ name }: Endpoint) => Number(name.includes('mainline'))
  const ordered = making.toSorted((one, other) => isLevel(one) - isLevel(other))
  const own = (name: string) => {
    if (name === 'bk_supplier_account') return account
    return isWord(name) ? undefined : ids.of(name === 'bk_parent_id' ? 'bk_biz_id' : name).at(-1)
  }
  const make = async (endpoints: readonly Endpoint[]) => {
    for (const endpoint of endpoints) {
      const { envelope } = await ask(server, requestOf(endpoint, own, mark), headers)
      ids.collect(envelope.data)
      if (envelope.result) done.add(endpoint.name)
    }
  }
  await make([...ordered, ...ordered])
  // Not everything that makes something answers its id; some is found only by searching, and then more can be done.
  const missing = new Set(walked.flatMap(idNames).filter((name) => !ids.has(name)))
  for (const endpoint of reading) {
    const found = await ask(server, widest(requestOf(endpoint, own)), headers)
    ids.collect(found.envelope.data, (name) => missing.has(name))
  }
  await make(ordered.filter(({ name }) => !done.has(name)))
  return { ids, done }
}
