import { hosts, settings } from '@mainline/contract'
import { aMoment, ask, askThen, whole } from '../../api/ask.ts'
import { call, caller } from '../../api/call.ts'
import { momentAsked } from '../../api/moment.ts'
import { patternOf } from '../../api/pattern.ts'
import type { KindCondition } from '../../forms/filters.ts'
import { listed } from '../../forms/filters.ts'

/** The attribute that identifies hosts for users: every table shows it. */
export const address = 'bk_host_innerip'

/** A host with its placement. */
export interface HostRow {
  readonly host: Readonly<Record<string, unknown>> & { readonly bk_host_id: number; readonly bk_host_innerip: string }
  readonly biz: readonly { bk_biz_id: number; bk_biz_name: string; default?: number }[]
  readonly set: readonly { bk_set_id: number; bk_set_name: string }[]
  readonly module: readonly {
    bk_module_id: number
    bk_module_name: string
    TopModuleName: string
    /** 1 for the idle module, 2 for the fault module. */
    default?: number
    /** Names from below the business to the module, separated by "##". */
    bk_path?: string
  }[]
}

export interface HostSearch {
  /** Absent for all. */
  readonly business?: number | undefined
  readonly conditions: readonly KindCondition[]
  /** Addresses, whole or in part, or a part of a name. */
  readonly words: string
  readonly fields: readonly string[]
  readonly sort?: string | undefined
}

/** Words are treated as addresses if all of them could be parts of one. */
export function readWords(words: string): { addresses: string[] } | { name: string } | null {
  const parts = listed(words)
  if (parts.length === 0) return null
  return parts.every((part) => /^[\da-f.:]*[\d.:][\da-f.:]*$/i.test(part))
    ? { addresses: parts }
    : { name: words.trim() }
}

/** The names of levels, set and module, from below the business. */
export const placeOf = ({ bk_path, TopModuleName }: HostRow['module'][number]): string =>
  (bk_path?.split('##') ?? TopModuleName.split('##').slice(1)).join(' / ')

/** The body of search_host without its page. */
export function bodyOf({ business, conditions, words, fields }: HostSearch) {
  const read = readWords(words)
  const named =
    read && 'name' in read ? [{ field: 'bk_host_name', operator: '$regex', value: patternOf(read.name) }] : []
  const merged = new Map<string, KindCondition>([
    ['biz', { bk_obj_id: 'biz', fields: ['bk_biz_name', 'default'], condition: [] }],
    ['set', { bk_obj_id: 'set', fields: ['bk_set_name'], condition: [] }],
    ['module', { bk_obj_id: 'module', fields: ['bk_module_name', 'default', 'bk_path'], condition: [] }],
    ['host', { bk_obj_id: 'host', fields: [...new Set([address, ...fields])], condition: named }],
  ])
  for (const each of conditions) {
    const known = merged.get(each.bk_obj_id) ?? { bk_obj_id: each.bk_obj_id, condition: [] }
    merged.set(each.bk_obj_id, { ...known, condition: [...known.condition, ...each.condition] })
  }
  return {
    ...(business !== undefined && { bk_biz_id: business }),
    ...(read &&
      'addresses' in read && {
        ip: {
          data: read.addresses,
          // A single address may be half typed; a list was pasted and is complete.
          exact: read.addresses.length > 1 ? (1 as const) : (0 as const),
          flag: 'bk_host_innerip|bk_host_outerip',
        },
      }),
    condition: [...merged.values()],
  }
}

export const findHosts = (search: HostSearch, start: number, limit: number) => ({
  ...askThen(hosts.searchHosts, {
    body: { ...bodyOf(search), page: { start, limit, ...(search.sort && { sort: search.sort }) } },
  }),
  staleTime: aMoment,
  select: (found: { count: number; info: unknown[] }) => ({ count: found.count, rows: found.info as HostRow[] }),
})

/** All matching hosts, page by page. */
export async function* allHosts(search: HostSearch): AsyncGenerator<HostRow[]> {
  const pages = caller().pages(hosts.searchHosts, { body: bodyOf(search), query: momentAsked() })
  for await (const { info } of pages) yield info as unknown as HostRow[]
}

export const oneHost = (id: number) => ({
  ...askThen(hosts.searchHosts, {
    body: {
      condition: [
        { bk_obj_id: 'host', fields: whole, condition: [{ field: 'bk_host_id', operator: '$eq', value: id }] },
        { bk_obj_id: 'biz', fields: ['bk_biz_name', 'default'], condition: [] },
        { bk_obj_id: 'set', fields: ['bk_set_name'], condition: [] },
        { bk_obj_id: 'module', fields: ['bk_module_name', 'bk_path'], condition: [] },
      ],
      page: { start: 0, limit: 1 },
    },
  }),
  select: (found: { info: unknown[] }) => (found.info as HostRow[])[0] ?? null,
})

const columnsIn = (settings: unknown) => (settings as { host_display_column: string[] }).host_display_column
export const ownColumns = () => ({ ...ask(settings.searchUserCustom, {}), select: columnsIn })
export const usualColumns = () => ({ ...ask(settings.getUserDefaultCustom, {}), select: columnsIn })
export const saveColumns = (columns: string[]) =>
  call(settings.saveUserCustom, { body: { host_display_column: columns } })
