// Creates one of everything for an account, from the declarations alone.
import type { Endpoint, Envelope } from '@mainline/contract'
import { endpoints } from '../../packages/server/src/commands/openapi.ts'
import { type Call, Ids, idNames, isWord, type Mark, requestOf, widest } from './requests.ts'

export interface Account {
  readonly account: string
  readonly mark: Mark
}

export const walked = endpoints.filter((endpoint) => !endpoint.anonymous)
export const reading = walked.filter((endpoint) => endpoint.effect !== 'write')
export const removing = (endpoint: Endpoint) =>
  endpoint.method === 'DELETE' || /^(archive|delete|remove)_/.test(endpoint.name)

type Served = { readonly url: string }

export async function ask(
  { url }: Served,
  { method, path, body, type, patience, until }: Call,
  headers: Record<string, string>,
) {
  let text = ''
  const enough = new AbortController()
  try {
    const answer = await fetch(`${url}/api/v3${path}`, {
      method,
      headers: { 'content-type': type, ...headers },
      signal: AbortSignal.any([AbortSignal.timeout(patience), enough.signal]),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part
      if (until !== undefined && text.includes(until)) enough.abort()
    }
    const isJson = answer.headers.get('content-type')?.startsWith('application/json')
    return { text, envelope: (isJson ? JSON.parse(text) : { data: null }) as Envelope }
  } catch (error) {
    // A stream has no end: its answer is what was received by then.
    if (!enough.signal.aborted && (error as Error).name !== 'TimeoutError') throw error
    return { text, envelope: { result: false, bk_error_code: 0, data: null } }
  }
}

/** Creates one of everything, in two passes, since some records depend on others. */
export async function furnish(server: Served, { account, mark }: Account, headers: Record<string, string>) {
  const ids = new Ids()
  const done = new Set<string>()
  const making = walked.filter((endpoint) => endpoint.effect === 'write' && !removing(endpoint))
  // Levels last: until then sets are directly under their business.
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
  // Some created records are found only by a search, and their ids allow further requests.
  const missing = new Set(walked.flatMap(idNames).filter((name) => !ids.has(name)))
  for (const endpoint of reading) {
    const found = await ask(server, widest(requestOf(endpoint, own)), headers)
    ids.collect(found.envelope.data, (name) => missing.has(name))
  }
  // Rules name attributes by an id that attributes have under another name.
  const asset = { bk_obj_id: 'host', bk_property_id: 'bk_asset_id' }
  const search: Call = {
    method: 'POST',
    path: '/object/attr/search',
    body: asset,
    type: 'application/json',
    patience: 10_000,
  }
  const attributes = (await ask(server, search, headers)).envelope.data as { id: number }[]
  for (const { id } of attributes) ids.add('key_id', id)
  await make(ordered.filter(({ name }) => !done.has(name)))
  return { ids, done }
}
