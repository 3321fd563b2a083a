import { problem, rule } from '@mainline/contract'
import type { Caller } from '../../platform/http/route.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { Zone } from '../../platform/time.ts'
import { fieldsToShow, hostFields, type Kind, neighboursOf, planSearch, walkHosts } from '../hosts/index.ts'
import { modelAt, objectOf } from '../model/index.ts'
import { fieldsOf, findBusiness } from '../topology/index.ts'
import { type Standing, showStanding } from './data.ts'
import { readInfo } from './info.ts'
import { findQuery } from './store.ts'

type Shown = keyof Standing
const shownKinds = ['biz', 'set', 'module', 'host'] as const satisfies readonly Shown[]

/** A saved query whose hosts are all wanted, in order of id whatever order it asks for. */
export interface Walk {
  /** What its rows show. */
  readonly columns: readonly { readonly kind: Shown; readonly attribute: string }[]
  readonly pages: AsyncIterable<readonly Standing[]>
}

export interface Wanted {
  readonly bizId: number
  readonly id: string
  /** Attributes to show besides those that the query names. */
  readonly also: Readonly<Partial<Record<Shown, readonly string[]>>>
  /** More hosts are refused. */
  readonly most: number
}

/** Hosts are always shown, with all attributes unless the query chooses. */
export async function walkQuery(
  storage: Storage,
  { account, language }: Caller,
  zone: Zone,
  { bizId, id, also, most }: Wanted,
): Promise<Walk> {
  const { read, heavy } = storage
  const business = await findBusiness(read, account, bizId)
  const model = await modelAt(read, account, business.modelVersion)
  const { query: asked } = readInfo((await findQuery(read, business.node, id)).info, model, zone)
  const query = {
    ...asked,
    fields: withAlso(new Map([...asked.fields, ['host', asked.fields.get('host') ?? []]]), also),
  }
  const plan = await planSearch(storage, { account, model, business: business.node, query, order: [] })

  async function* pages() {
    let count = 0
    for await (const hosts of walkHosts(storage, plan)) {
      count += hosts.length
      if (count > most) throw problem('tooMany', { what: rule('hosts'), limit: most })
      const around = await neighboursOf(heavy, hosts, (kind) => query.fields.has(kind))
      yield hosts.map((host) => showStanding(model, query, host, around, { language, zone }))
    }
  }
  const attributesOf = (kind: Shown): readonly string[] => {
    const chosen = fieldsToShow(query, kind)
    if (chosen.length > 0) return chosen
    const object = objectOf(model, kind)
    return [...(kind === 'host' ? hostFields(object) : fieldsOf(object)).keys()]
  }
  const columns = shownKinds
    .filter((kind) => query.fields.has(kind))
    .flatMap((kind) => attributesOf(kind).map((attribute) => ({ kind, attribute })))
  return { columns, pages: pages() }
}

type Fields = ReadonlyMap<Kind, readonly string[]>

/** No names mean all attributes, so that none need to be added. */
function withAlso(fields: Fields, also: Wanted['also']): Fields {
  const more = Object.entries(also) as [Shown, readonly string[]][]
  return new Map([
    ...fields,
    ...more.map(([kind, names]) => {
      const known = fields.get(kind)
      return [kind, known?.length === 0 ? [] : [...new Set([...(known ?? []), ...names])]] as const
    }),
  ])
}
