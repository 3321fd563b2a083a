import { refuseUnknownFields, refuseWrongTerm } from '../arguments/fields.ts'
import type { Given } from '../arguments/flags.ts'
import { listOf, misused, refuseFlags, wholeNumber, wordIn, wordsOf } from '../arguments/usage.ts'
import { readWhere } from '../arguments/where.ts'
import { resourceNames } from '../catalogue.ts'
import { connect } from '../connection/connection.ts'
import { showRows } from '../output/formats.ts'
import { resources } from './resources.ts'

const serverPage = 200

export async function getCommand(given: Given): Promise<void> {
  const [word] = wordsOf(given, 'get', 1)
  const name = wordIn('get', resourceNames, word)
  const resource = resources[name]
  if (given.value('set') !== undefined && name !== 'modules') {
    throw misused(`--set is for modules. For ${name} use --where, such as 'set.bk_set_name=storefront' for hosts.`)
  }
  if (name === 'subscriptions')
    refuseFlags(given, ['as-of'], 'what is read as of a moment: hosts, businesses, sets, modules, queries and groups')
  const where = given.values('where').flatMap(readWhere)
  const sort = listOf(given.value('sort')) ?? []
  const chosen = listOf(given.value('fields')) ?? []
  const limit = wholeNumber(given, 'limit', 1)
  const format = given.value('output') ?? 'table'

  const connection = await connect(given)
  const sortedBy = sort.map((each) => each.replace(/^-/, ''))
  const named = [...where.map(({ field }) => field.is), ...sortedBy, ...chosen]
  if (named.length > 0) {
    const known = await resource.known(connection, named)
    for (const term of where) refuseWrongTerm(term, known)
    refuseUnknownFields('sort', sortedBy, known)
    refuseUnknownFields('fields', chosen, known)
  }

  const across = given.value('business') === undefined ? (resource.across ?? []) : []
  const columns = chosen.length > 0 ? chosen : [...resource.columns, ...across]
  const showsColumns = chosen.length > 0 || format === 'table' || format === 'csv'
  const rows = await resource.rows(connection, {
    given,
    where,
    sort,
    fields: showsColumns ? columns : [],
    pageSize: limit === undefined ? undefined : Math.min(limit, serverPage),
  })
  await showRows(format, firstOf(rows, limit), { columns, chosen: chosen.length > 0, what: `such ${name}` })
}

/** Stops the iteration at the limit, so that no further page is requested. */
export async function* firstOf<T>(rows: AsyncIterable<T>, limit: number | undefined): AsyncGenerator<T> {
  let left = limit ?? Number.POSITIVE_INFINITY
  for await (const row of rows) {
    yield row
    if (--left === 0) return
  }
}
