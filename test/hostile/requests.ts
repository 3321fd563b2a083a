// Requests that a hostile or careless caller might send to any operation.
import type { Endpoint } from '@mainline/contract'
import fc from 'fast-check'
import { candidates, type Id, type Ids, requestOf } from '../accounts/requests.ts'
import { type FilePlan, fileOf, filePlan } from './files.ts'
import { bodyOf, Known } from './shapes.ts'
import { isPlain, rebuilt, type Spoiling, spoiling, spoilt } from './spoiling.ts'
import { text } from './values.ts'
import type { World } from './world.ts'

export interface Hostile {
  readonly endpoint: Endpoint
  /** Which known ids replace those of the example, of any account; null uses the caller's own. */
  readonly ids: readonly number[] | null
  /** Drawn from the schema; null sends the example. */
  readonly drawn: { readonly body: unknown } | null
  readonly spoilings: readonly Spoiling[]
  /** For operations with a file; null sends something that is not a file. */
  readonly file: FilePlan | null
  readonly segment: { readonly at: number; readonly text: string } | null
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

export interface Call {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array | undefined
}

/** Existing accounts only: naming a new one creates it, even if the request is refused. */
export const accounts = ['0', 'beta', '..', '__proto__']
const noAccounts = ['', 'x'.repeat(65), 'a\0', '\ud800', 'a\nb']

const rawSegments = [
  '%00',
  '%2f',
  '%2e%2e',
  '..',
  '.',
  '',
  '%zz',
  '%ed%a0%80',
  ';a=b',
  '0',
  '-1',
  '1e1',
  '+1',
  '%201',
  'batch',
  'search',
]
const segment = fc.oneof(fc.constantFrom(...rawSegments), text.map(percentEncoded))
const headers = fc.record(
  {
    BK_User: fc.constantFrom('admin', 'ann', 'stranger', 'a,b', "o'neil", '\x80', 'x'.repeat(200)),
    HTTP_BLUEKING_LANGUAGE: fc.constantFrom('en', 'zh-cn', 'tlh', ''),
    HTTP_BK_SUPPLIER_ACCOUNT: fc.constantFrom('0', 'beta', 'x'.repeat(65), '\x80'),
    cc_request_id: fc.constantFrom('r', 'x'.repeat(129), '\xff', ' '),
    'if-none-match': fc.constantFrom('*', '"', 'W/"x", "y"'),
    'last-event-id': fc.constantFrom('x', '-1', '99999999999999999999'),
    'content-type': fc.constantFrom(
      'application/json',
      'text/plain',
      'application/x+json;charset=utf-16',
      'x',
      'text/html',
    ),
  },
  { requiredKeys: [] },
)

export function hostile(endpoints: readonly Endpoint[], field: fc.Arbitrary<string>): fc.Arbitrary<Hostile> {
  const flag = fc.oneof(fc.constantFrom('true', 'false', '0', '1', '-1'), text)
  return fc.constantFrom(...endpoints).chain((endpoint) =>
    fc.record({
      endpoint: fc.constant(endpoint),
      ids: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.array(fc.nat(20), { minLength: 6, maxLength: 6 })),
      drawn: fc.oneof(fc.constant(null), fc.record({ body: bodyOf(endpoint, field) })),
      spoilings: fc.oneof(
        { weight: 2, arbitrary: fc.constant([]) },
        fc.array(spoiling, { minLength: 1, maxLength: 2 }),
      ),
      file: endpoint.takes ? fc.option(filePlan, { freq: 12 }) : fc.constant(null),
      segment: fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, fc.record({ at: fc.nat(9), text: segment })),
      query: fc.oneof(
        { weight: 3, arbitrary: fc.constant({}) },
        fc.dictionary(fc.constantFrom(...Object.keys(endpoint.query ?? {}), 'x', '__proto__'), flag, { maxKeys: 2 }),
      ),
      headers: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, headers),
    }),
  )
}

/** The operations that a request may have reached: a spoilt path may be that of another operation. */
export function askedBy({ method, path }: Call, endpoints: readonly Endpoint[]): Endpoint[] {
  const [sent = ''] = path.split('?')
  return endpoints.filter((each) => each.method === method && patternOf(each).test(sent))
}

const patternOf = ({ path }: Endpoint) => new RegExp(`^/api/v3${path.replace(/:\w+/g, '[^/]*')}$`)

export interface Pool {
  readonly world: World
  /** All ids seen so far, of any account. */
  readonly seen: Ids
}

/** The final request, with ids known by then, and a unique name. */
export async function callOf(drawn: Hostile, { world, seen }: Pool, nth: number): Promise<Call> {
  const name = `fuzzed ${nth}`
  const { endpoint, headers, ids } = drawn
  const pick = (name: string, nth: number): Id | undefined => {
    if (name === 'bk_supplier_account') return ids ? accounts[nth % 2] : '0'
    if (!ids) return world.idFor(endpoint, name)
    const list = candidates(seen, name)
    return list[nth % Math.max(1, list.length)]
  }
  let next = 0
  const mark = { name, user: 'ann', network: '10.99.' }
  const choose = (name: string) => pick(name, ids?.[next++ % ids.length] ?? 0)
  const call = requestOf(endpoint, choose, endpoint.effect === 'write' ? mark : undefined)
  const started = drawn.drawn ? resolved(drawn.drawn.body, pick) : call.body
  const body = withKnownAccount(drawn.spoilings.reduce(spoilt, started))
  const path = spoiltPath(endpoint, call.path, drawn.segment) + queryOf(drawn.query)
  const json = endpoint.method === 'GET' || body === undefined ? undefined : JSON.stringify(body)
  const sent = drawn.file ? await fileOf(endpoint, drawn.file, world.exported(), nth) : json
  return { method: endpoint.method, path: `/api/v3${path}`, headers, body: sent }
}

function resolved(value: unknown, pick: (name: string, nth: number) => Id | undefined): unknown {
  if (value instanceof Known) return pick(value.name, value.nth) ?? value.nth
  if (Array.isArray(value)) return value.map((each) => resolved(each, pick))
  if (!isPlain(value)) return value
  return rebuilt(value, (inner) => resolved(inner, pick))
}

function withKnownAccount(body: unknown): unknown {
  if (!isPlain(body) || typeof body.bk_supplier_account !== 'string') return body
  const named = body.bk_supplier_account
  const is = [...accounts, ...noAccounts].includes(named) || named.length > 64
  return rebuilt(body, (inner, key) => (key === 'bk_supplier_account' && !is ? 'beta' : inner))
}

function spoiltPath({ path: pattern }: Endpoint, path: string, segment: Hostile['segment']): string {
  if (!segment) return path
  const parts = path.split('/')
  const at = 1 + (segment.at % (parts.length - 1))
  const isAccount = pattern.split('/')[at] === ':bk_supplier_account'
  const named = [...accounts, ...noAccounts].map(percentEncoded)
  parts[at] = isAccount ? (named[segment.text.length % named.length] as string) : segment.text
  return parts.join('/')
}

const queryOf = (query: Hostile['query']) => {
  const parts = Object.entries(query).map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`)
  return parts.length > 0 ? `?${parts.join('&')}` : ''
}

/** Also for malformed text: an unpaired surrogate is sent as the three bytes of the replacement character. */
function percentEncoded(value: string): string {
  const bytes = [...value].map((unit) => (unit.isWellFormed() ? encodeURIComponent(unit) : '%ED%A0%80'))
  return bytes.join('')
}
