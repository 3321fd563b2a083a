import { problem, rule } from '@mainline/contract'
import { shownFields } from '../../../condition/condition.ts'
import type { Caller } from '../../../http/route.ts'
import type { Storage } from '../../../storage/index.ts'
import { fieldsToShow, hostFields, type Kind, neighboursOf, planSearch, walkHosts } from '../../hosts/index.ts'
import { modelAt, objectOf } from '../../model/index.ts'
import { refuseUnsearchable } from '../../privileges/index.ts'
import { fieldsOf, findBusiness } from '../../topology/index.ts'
import { type HostInPlace, showHostInPlace } from './data.ts'
import { objectsBehind, type QueryRights, readInfo } from './info.ts'
import { findQuery } from './store.ts'

type Shown = keyof HostInPlace
const shownKinds = ['biz', 'set', 'module', 'host'] as const satisfies readonly Shown[]

/** All hosts of a saved query, ordered by id whatever order the query asks for. */
export interface Walk {
  /** What its rows show. */
  readonly columns: readonly { readonly kind: Shown; readonly attribute: string }[]
  readonly pages: AsyncIterable<readonly HostInPlace[]>
}

interface Wanted {
  readonly bizId: number
  readonly id: string
  /** Attributes to show in addition to those of the query. */
  readonly also: Readonly<Partial<Record<Shown, readonly string[]>>>
  /** A result with more hosts is refused. */
  readonly most: number
}

/** Hosts are always included, with all attributes unless the query selects some. */
export async function walkQuery(
  storage: Storage,
  actor: Caller,
  { lacks, ...reading }: QueryRights,
  { bizId, id, also, most }: Wanted,
): Promise<Walk> {
  const { read, heavy } = storage
  const { account, language } = actor
  const business = await findBusiness(read, account, bizId)
  const model = await modelAt(read, account, business.modelVersion)
  const { info } = await findQuery(read, business.node, id)
  const { query: asked } = await readInfo(read, info, model, reading)
  await refuseUnsearchable(storage, actor, objectsBehind(asked), lacks)
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
      yield hosts.map((host) => showHostInPlace(model, query, host, around, { language, zone: reading.zone }))
    }
  }
  const attributesOf = (kind: Shown): readonly string[] => {
    const chosen = fieldsToShow(query, kind)
    if (chosen.length > 0) return chosen
    const object = objectOf(model, kind)
    return [...shownFields(kind === 'host' ? hostFields(object) : fieldsOf(object))]
  }
  const columns = shownKinds
    .filter((kind) => query.fields.has(kind))
    .flatMap((kind) => attributesOf(kind).map((attribute) => ({ kind, attribute })))
  return { columns, pages: pages() }
}

type Fields = ReadonlyMap<Kind, readonly string[]>

/** No names select all attributes, so none need to be added. */
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
