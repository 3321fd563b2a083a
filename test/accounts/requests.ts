// Requests made from the declarations alone: every endpoint's example with ids of our choice.
import type { Endpoint } from '@mainline/contract'

export type Id = string | number

export interface Call {
  readonly method: string
  readonly path: string
  /** The text, for a file. */
  readonly body: unknown
  readonly type: string
  /** How long to wait for an answer, in milliseconds: a stream has none. */
  readonly patience: number
  /** For a stream: read until this text appears. */
  readonly until?: string
}

/** Ids by the name under which the API uses them. */
export class Ids {
  readonly #known = new Map<string, Set<Id>>()

  add(name: string, id: Id): void {
    this.#known.set(name, (this.#known.get(name) ?? new Set()).add(id))
  }

  of(name: string): Id[] {
    return [...(this.#known.get(name) ?? [])]
  }

  /** Ids of any kind: some operations accept several kinds under one name. */
  all(): Id[] {
    const ids = [...this.#known].filter(([name]) => name !== 'position').flatMap(([, each]) => [...each])
    return [...new Set(ids)]
  }

  has(name: string): boolean {
    return this.#known.has(name)
  }

  /** Everything in an answer that looks like an id, under the wanted names. */
  collect(answer: unknown, wanted: (name: string) => boolean = () => true): void {
    if (typeof answer !== 'object' || answer === null) return
    for (const [key, value] of Object.entries(answer)) {
      const isId = /(^|_)id$/.test(key) && (typeof value === 'string' || typeof value === 'number') && value
      if (!isId) this.collect(value, wanted)
      else if (wanted(key)) this.add(key, value)
    }
  }
}

/** The replacement of an id in an example; undefined keeps the example's. */
type Choose = (name: string) => Id | undefined

/** Ids that are words, which several accounts may use. */
export const isWord = (name: string) => /^bk_(obj|classification|property|group)_id$/.test(name)

/** Names under which several kinds of ids are sent. */
const anyKind = ['id', 'inst_ids', 'bk_inst_id', 'bk_parent_id']
export const candidates = (ids: Ids, name: string): Id[] =>
  anyKind.includes(name) ? ids.all().filter((id) => typeof id === 'number' || id.length === 20) : ids.of(name)

/** Marks of the data that an account sends: part of names, whole users, part of addresses. */
export interface Mark {
  readonly name: string
  readonly user: string
  readonly network: string
}

export function requestOf({ method, path, example, streams, takes }: Endpoint, choose: Choose, mark?: Mark): Call {
  const filled = path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(choose(name) ?? example?.params?.[name] ?? 1),
  )
  if (takes) return { method, path: filled, body: example?.body, type: 'text/csv', patience: 10_000 }
  const body = method === 'GET' ? undefined : filledIn(example?.body, '', choose, mark)
  const type = 'application/json'
  return { method, path: filled, body, type, patience: streams === 'text/event-stream' ? 300 : 10_000 }
}

function filledIn(value: unknown, key: string, choose: Choose, mark: Mark | undefined): unknown {
  if (Array.isArray(value)) {
    if (mark && /_column$/.test(key)) return [...value, mark.name]
    const chosen = value.every((each) => typeof each === 'number') ? choose(key) : undefined
    return chosen === undefined ? value.map((each) => filledIn(each, '', choose, mark)) : [chosen]
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, filledIn(inner, name, choose, mark)]))
  }
  if (mark && typeof value === 'string') {
    if (/(_|^)name$|description|content/.test(key)) return `${mark.name} ${value}`
    if (/operator|maintainer|tester|developer/.test(key)) return mark.user
    if (/^10\.\d+\./.test(value)) return value.replace(/^10\.\d+\./, mark.network)
  }
  return choose(key) ?? value
}

/** The same search without its filters, which finds as much as possible. */
export const widest = (call: Call): Call => ({ ...call, body: unfiltered(call.body, '') })

function unfiltered(value: unknown, key: string): unknown {
  if (typeof value === 'string' && /^[[{]/.test(value)) return JSON.stringify(unfiltered(JSON.parse(value), key))
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const isNested = value.some((each) => typeof each === 'object' && each !== null && 'condition' in each)
    return key === 'condition' && !isNested ? [] : value.map((each) => unfiltered(each, ''))
  }
  if (key === 'condition') return {}
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, unfiltered(inner, name)]))
}

/** Combinations of the given ids in place of each name, limited in number. */
export function* combinations(
  names: readonly string[],
  options: (name: string) => readonly (Id | undefined)[],
  most: number,
): Generator<Choose> {
  const lists = names.map((name) => options(name))
  const total = lists.reduce((product, list) => product * Math.max(1, list.length), 1)
  // Evenly spread over all of them.
  const count = Math.min(total, most)
  for (let index = 0; index < count; index++) {
    let rest = Math.floor((index * total) / count)
    const chosen = new Map<string, Id | undefined>()
    for (const [position, list] of lists.entries()) {
      chosen.set(names[position] as string, list[rest % Math.max(1, list.length)])
      rest = Math.floor(rest / Math.max(1, list.length))
    }
    yield (name) => chosen.get(name)
  }
}

/** The names under which a request of this endpoint carries ids. */
export function idNames({ path, example }: Endpoint): string[] {
  const names = new Set([...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name))
  const look = (value: unknown, key: string): void => {
    if (/(^|_)ids?$/.test(key)) names.add(key)
    else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) look(inner, name)
    }
  }
  look(example?.body, '')
  return [...names].filter((name) => name !== 'bk_supplier_account')
}
