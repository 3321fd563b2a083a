import { businesses, hosts, modules, sets } from '@mainline/contract'
import type { Connection } from './connection.ts'
import { type Known, knownFields } from './fields.ts'
import type { Term } from './where.ts'

/** What a host stands in; a field of these has the kind in front, one of the host itself has not. */
const kinds = ['biz', 'set', 'module'] as const
type Kind = (typeof kinds)[number] | 'host'

const records = {
  host: hosts.HostRecord,
  biz: businesses.BusinessRecord,
  set: sets.SetRecord,
  module: modules.ModuleRecord,
}

function placeOf(name: string): { kind: Kind; field: string } {
  const kind = kinds.find((each) => name.startsWith(`${each}.`))
  return kind ? { kind, field: name.slice(kind.length + 1) } : { kind: 'host', field: name }
}

/** The filters and the fields of each kind, as the search of hosts takes them. */
export function whereHosts(where: readonly Term[], fields: readonly string[]) {
  return (['host', ...kinds] as const).map((kind) => ({
    bk_obj_id: kind,
    fields: fields.map(placeOf).flatMap((each) => (each.kind === kind ? [each.field] : [])),
    condition: where.flatMap(({ field, operator, value }) => {
      const place = placeOf(field.is)
      return place.kind === kind ? [{ field: place.field, operator: operator.is, value: value.is }] : []
    }),
  }))
}

interface Standing {
  readonly host: Readonly<Record<string, unknown>>
  readonly biz: unknown
  readonly set: unknown
  readonly module: unknown
}

/** Hosts with what they stand in. */
export const standing = {
  async *flat(rows: AsyncIterable<Standing>): AsyncGenerator<Record<string, unknown>> {
    for await (const { host, biz, set, module } of rows) yield { ...host, biz, set, module }
  },

  /** The model is asked only for the kinds that are named. */
  async known(connection: Connection, names: readonly string[]): Promise<Known> {
    const named = new Set<Kind>(['host', ...names.map((name) => placeOf(name).kind)])
    const all = await Promise.all(
      [...named].map(async (kind) => {
        const known = await knownFields(connection, kind, records[kind])
        return kind === 'host' ? [...known] : [...known].map(([name, type]) => [`${kind}.${name}`, type] as const)
      }),
    )
    return new Map(all.flat())
  },
}
