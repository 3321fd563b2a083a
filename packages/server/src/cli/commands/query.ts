import { queries } from '@mainline/contract'
import { nearest } from '../../common/nearest.ts'
import { Refusal } from '../../common/refusal.ts'
import { neededBusiness } from '../arguments/business.ts'
import type { Given } from '../arguments/flags.ts'
import { hostsInPlace } from '../arguments/hosts.ts'
import { exitCodes, listOf, misused, wholeNumber, wordsOf } from '../arguments/usage.ts'
import { type Connection, connect } from '../connection/connection.ts'
import { showRows } from '../output/formats.ts'
import { firstOf } from './get.ts'

export async function queryCommand(given: Given): Promise<void> {
  const [what, called] = wordsOf(given, 'query', 2)
  if (what !== 'run') throw misused("Use 'mainline query run NAME|ID'. 'mainline get queries' lists them.")
  if (!called) throw misused("The query is missing: 'mainline query run NAME|ID'; 'mainline get queries' lists them.")
  const limit = wholeNumber(given, 'limit', 1)
  const chosen = listOf(given.value('fields')) ?? []
  const connection = await connect(given)
  const business = await neededBusiness(connection, given, 'query run')
  const { id, info } = await findQuery(connection, business, called)
  const asked = readInfo(info)
  const rows = connection.client.all(queries.runQuery, {
    params: { bk_biz_id: business, id },
    // Paging by id misses no host while hosts are added or removed; needs the id, and a query without an order of its own.
    ...(asked.shows.has('host') && !asked.isSorted && { query: { after: 0 } }),
    ...(limit !== undefined && limit < 200 && { limit }),
  })
  await showRows(given.value('output') ?? 'table', firstOf(hostsInPlace.flat(rows), limit), {
    columns: chosen.length > 0 ? chosen : columnsOf(asked),
    chosen: chosen.length > 0,
    what: `hosts in '${called}'`,
  })
}

interface Asked {
  /** The objects to show, with the fields of each; no fields mean all. */
  readonly shows: ReadonlyMap<string, readonly string[]>
  readonly isSorted: boolean
}

function readInfo(text: string): Asked {
  const { condition, page } = JSON.parse(text) as {
    condition: { bk_obj_id: string; fields?: string[] | null }[]
    page?: { sort?: string | null } | null
  }
  const shows = new Map<string, readonly string[]>()
  for (const { bk_obj_id: kind, fields } of condition) shows.set(kind, [...(shows.get(kind) ?? []), ...(fields ?? [])])
  return { shows, isSorted: Boolean(page?.sort) }
}

/** Table columns for an object of which the query shows all attributes. */
const defaultColumns: Record<string, readonly string[]> = {
  host: ['bk_host_id', 'bk_host_innerip', 'bk_host_name', 'bk_os_type'],
  biz: ['bk_biz_name'],
  set: ['bk_set_name'],
  module: ['bk_module_name'],
}

const columnsOf = ({ shows }: Asked): string[] =>
  Object.entries(defaultColumns).flatMap(([kind, names]) => {
    const fields = shows.get(kind)
    const shown = fields?.length === 0 ? names : (fields ?? [])
    return kind === 'host' ? [...new Set(shown)] : [...new Set(shown)].map((name) => `${kind}.${name}`)
  })

/** A query of a business, by its id or its name. */
export async function findQuery({ client }: Connection, business: number, called: string) {
  const search = async (condition: Record<string, unknown>) =>
    (await client.call(queries.searchQuery, { params: { bk_biz_id: business }, body: { condition, limit: 200 } })).info
  const [found] = await search({ $or: [{ id: called }, { name: { $eq: called } }] })
  if (found) return found
  const names = (await search({})).map(({ name }) => name)
  const close = nearest(called, names, 3).map((name) => `'${name}'`)
  throw new Refusal(
    `There is no query '${called}' in business ${business}.${close.length > 0 ? ` Did you mean ${close.join(', ')}?` : ''}`,
    exitCodes.refused,
  )
}
