import { businesses, hosts, modules, sets } from '@mainline/contract'
import type { Connection } from '../connection/connection.ts'
import { type KnownFields, knownFields } from './fields.ts'
import type { Term } from './where.ts'

/** The objects above a host: their fields have the object as a prefix, fields of the host have none. */
const hostObjects = ['biz', 'set', 'module'] as const
type Kind = (typeof hostObjects)[number] | 'host'

const records = {
  host: hosts.HostRecord,
  biz: businesses.BusinessRecord,
  set: sets.SetRecord,
  module: modules.ModuleRecord,
}

function hostFieldOf(name: string): { kind: Kind; field: string } {
  const kind = hostObjects.find((each) => name.startsWith(`${each}.`))
  return kind ? { kind, field: name.slice(kind.length + 1) } : { kind: 'host', field: name }
}

/** Filters and fields by object, in the form of the host search. */
export function whereHosts(where: readonly Term[], fields: readonly string[]) {
  return (['host', ...hostObjects] as const).map((kind) => ({
    bk_obj_id: kind,
    fields: fields.map(hostFieldOf).flatMap((each) => (each.kind === kind ? [each.field] : [])),
    condition: where.flatMap(({ field, operator, value }) => {
      const place = hostFieldOf(field.is)
      return place.kind === kind ? [{ field: place.field, operator: operator.is, value: value.is }] : []
    }),
  }))
}

interface HostInPlace {
  readonly host: Readonly<Record<string, unknown>>
  readonly biz: unknown
  readonly set: unknown
  readonly module: unknown
}

/** Hosts with their businesses, sets and modules. */
export const hostsInPlace = {
  async *flat(rows: AsyncIterable<HostInPlace>): AsyncGenerator<Record<string, unknown>> {
    for await (const { host, biz, set, module } of rows) yield { ...host, biz, set, module }
  },

  /** Loads the model of the requested objects only. */
  async known(connection: Connection, names: readonly string[]): Promise<KnownFields> {
    const named = new Set<Kind>(['host', ...names.map((name) => hostFieldOf(name).kind)])
    const all = await Promise.all(
      [...named].map(async (kind) => {
        const known = await knownFields(connection, kind, records[kind])
        return kind === 'host' ? [...known] : [...known].map(([name, type]) => [`${kind}.${name}`, type] as const)
      }),
    )
    return new Map(all.flat())
  },
}
