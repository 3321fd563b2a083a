// Requests that a hostile or a careless caller might send to any operation.
import { changesAnything, type Endpoint } from '@mainline/contract'
import fc from 'fast-check'
import { candidates, type Id, type Ids, requestOf } from '../accounts/requests.ts'
import { bodyOf, Known } from './shapes.ts'
import { anything, text } from './values.ts'
import type { World } from './world.ts'

/** What is done to a body: at some place, in some way. */
interface Spoiling {
  readonly at: number
  readonly how: 'replace' | 'remove' | 'add' | 'wrap' | 'repeat'
  readonly key: string
  readonly value: unknown
}

export interface Hostile {
  readonly endpoint: Endpoint
  /** Which of the known ids go where the example has some, whoever's they are; null takes one's own. */
  readonly ids: readonly number[] | null
  /** Drawn from the schema; null sends the example. */
  readonly drawn: { readonly body: unknown } | null
  readonly spoilings: readonly Spoiling[]
  readonly segment: { readonly at: number; readonly text: string } | null
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

export interface Call {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

/** Accounts that are there from the start: naming a new one makes it, whatever becomes of the request. */
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
const spoiling: fc.Arbitrary<Spoiling> = fc.record({
  at: fc.nat(50),
  how: fc.constantFrom('replace', 'remove', 'add', 'wrap', 'repeat'),
  key: text,
  value: anything,
})
const headers = fc.record(
  {
    BK_User: fc.constantFrom('admin', 'ann', 'nobody', 'a,b', "o'neil", '\x80', 'x'.repeat(200)),
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
      ids: fc.option(fc.array(fc.nat(20), { minLength: 6, maxLength: 6 }), { freq: 1 }),
      drawn: fc.oneof(fc.constant(null), fc.record({ body: bodyOf(endpoint, field) })),
      spoilings: fc.oneof(
        { weight: 2, arbitrary: fc.constant([]) },
        fc.array(spoiling, { minLength: 1, maxLength: 2 }),
      ),
      segment: fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, fc.record({ at: fc.nat(9), text: segment })),
      query: fc.oneof(
        { weight: 3, arbitrary: fc.constant({}) },
        fc.dictionary(fc.constantFrom(...Object.keys(endpoint.query ?? {}), 'x', '__proto__'), flag, { maxKeys: 2 }),
      ),
      headers: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, headers),
    }),
  )
}

/** The operations that a request may have reached: a spoilt path may be that of another. */
export function askedBy({ method, path }: Call, endpoints: readonly Endpoint[]): Endpoint[] {
  const [sent = ''] = path.split('?')
  return endpoints.filter((each) => each.method === method && patternOf(each).test(sent))
}

const patternOf = ({ path }: Endpoint) => new RegExp(`^/api/v3${path.replace(/:\w+/g, '[^/]*')}$`)

export interface Pool {
  readonly world: World
  /** Whatever has been seen, whoever's it is. */
  readonly seen: Ids
}

/** The request as it is sent, with ids that are known by then, and a name that was not used before. */
export function callOf(drawn: Hostile, { world, seen }: Pool, name: string): Call {
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
  const call = requestOf(endpoint, choose, changesAnything(endpoint) ? mark : undefined)
  const started = drawn.drawn ? resolved(drawn.drawn.body, pick) : call.body
  const body = withKnownAccount(drawn.spoilings.reduce(spoilt, started))
  const path = spoiltPath(endpoint, call.path, drawn.segment) + queryOf(drawn.query)
  const sent = endpoint.method === 'GET' || body === undefined ? undefined : JSON.stringify(body)
  return { method: endpoint.method, path: `/api/v3${path}`, headers, body: sent }
}

function resolved(value: unknown, pick: (name: string, nth: number) => Id | undefined): unknown {
  if (value instanceof Known) return pick(value.name, value.nth) ?? value.nth
  if (Array.isArray(value)) return value.map((each) => resolved(each, pick))
  if (!isPlain(value)) return value
  return rebuilt(value, (inner) => resolved(inner, pick))
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)

/** Keeps keys such as `__proto__`, which an assignment would not. */
function rebuilt(value: Record<string, unknown>, change: (inner: unknown, key: string) => unknown): unknown {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner, key)]))
}

function spoilt(body: unknown, spoiling: Spoiling): unknown {
  const places = placesIn(body)
  const target = places[spoiling.at % places.length] as Place
  return changedAt(body, target, spoiling)
}

type Place = readonly (string | number)[]

function placesIn(value: unknown, here: Place = []): Place[] {
  if (here.length > 6) return [here]
  const entries = Array.isArray(value)
    ? value.slice(0, 5).map((each, index) => [index, each] as const)
    : isPlain(value)
      ? Object.entries(value).slice(0, 20)
      : []
  return [here, ...entries.flatMap(([key, inner]) => placesIn(inner, [...here, key]))]
}

function changedAt(value: unknown, [key, ...rest]: Place, spoiling: Spoiling): unknown {
  if (key === undefined) return spoiltValue(value, spoiling)
  const last = rest.length === 0 && spoiling.how === 'remove'
  if (Array.isArray(value)) {
    return value.flatMap((each, index) => (index !== key ? [each] : last ? [] : [changedAt(each, rest, spoiling)]))
  }
  const kept = Object.entries(value as Record<string, unknown>).filter(([name]) => !last || name !== key)
  return Object.fromEntries(
    kept.map(([name, inner]) => [name, name === key ? changedAt(inner, rest, spoiling) : inner]),
  )
}

function spoiltValue(value: unknown, { how, key, value: other }: Spoiling): unknown {
  switch (how) {
    case 'add':
      return Array.isArray(value)
        ? [...value, other]
        : isPlain(value)
          ? Object.fromEntries([...Object.entries(value), [key, other]])
          : other
    case 'wrap':
      return [value]
    case 'repeat':
      return Array.isArray(value)
        ? [...value, ...value]
        : typeof value === 'string'
          ? value.repeat(Math.ceil(300 / (value.length + 1)))
          : other
    default:
      return other
  }
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

/** Also of what is no text: half a character goes out as the three bytes that are none. */
function percentEncoded(value: string): string {
  const bytes = [...value].map((unit) => (unit.isWellFormed() ? encodeURIComponent(unit) : '%ED%A0%80'))
  return bytes.join('')
}
