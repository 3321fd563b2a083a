// Records that an index finds for one part of a condition, by their tickets: the rest of the condition is applied to these alone.
import { problem, rule } from '@mainline/contract'
import { type SqlBool, sql } from 'kysely'
import { compile } from '../../condition/compile.ts'
import type { Condition, Leaf } from '../../condition/condition.ts'
import type { Reader } from '../../storage/index.ts'
import { queryIn } from '../events/feed/index.ts'
import { auditFields, conjuncts, keysIn } from './filter.ts'

/** The largest number of records that a search may scan without an index. */
export const maxScannedRecords = 200_000

export const tooManyToRead = () =>
  problem('tooMany', { what: rule('recordsToRead'), limit: maxScannedRecords, rule: rule('narrowByTime') })

interface Located {
  readonly account: string
  readonly condition: Condition
  /** The name of an instance that all records must be about. */
  readonly name?: string | undefined
}

/** Undefined if no index serves a part of the condition. */
export async function locate(reader: Reader, { account, condition, name }: Located): Promise<number[] | undefined> {
  if (name !== undefined) return ticketsOfName(reader, account, name, objectsIn(condition))
  const keys = keysIn(condition)
  if (keys) return ticketsOfKeys(reader, account, keys)
  const leaves = conjuncts(condition)
  const txns = valuesOf(leaves, 'txn_id')
  if (txns) return ticketsWhere(reader, account, 'txn_id', txns)
  const requests = valuesOf(leaves, 'request_id')
  if (requests) return ticketsWhere(reader, account, 'request_id', requests)
  return leaves.some(asksForReason) ? ticketsWithReason(reader, account, valuesOf(leaves, 'op_reason')) : undefined
}

/** The values of which a field must have one. */
function valuesOf(leaves: readonly Leaf[], field: string): string[] | undefined {
  for (const leaf of leaves) {
    if (leaf.field === field && leaf.test.is === 'among') return leaf.test.values.map(String)
  }
  return undefined
}

/** Only records with a reason can match: not a negation, and not the empty text. */
const asksForReason = ({ field, test }: Leaf) =>
  field === 'op_reason' &&
  ((test.is === 'among' && !test.values.includes('')) || (test.is === 'matching' && !test.pattern.matcher('').find()))

const objectsIn = (condition: Condition) =>
  valuesOf(conjuncts(condition), 'bk_obj_id') ?? valuesOf(conjuncts(condition), 'op_target')

const ofAccount = (reader: Reader, account: string) =>
  reader.selectFrom('log').select('ticket').where('log.account', '=', account)

function tickets(rows: readonly { readonly ticket: number }[]): number[] {
  if (rows.length > maxScannedRecords) throw tooManyToRead()
  return rows.map(({ ticket }) => ticket)
}

const ticketsWhere = async (
  reader: Reader,
  account: string,
  column: 'txn_id' | 'request_id',
  values: readonly string[],
): Promise<number[]> =>
  tickets(
    await ofAccount(reader, account)
      .where((eb) => reader.dialect.among(eb.ref(column), values, 'text'))
      .limit(maxScannedRecords + 1)
      .execute(),
  )

const ticketsWithReason = async (
  reader: Reader,
  account: string,
  reasons: readonly string[] | undefined,
): Promise<number[]> =>
  tickets(
    await ofAccount(reader, account)
      // Spelled as in the index, which has only these.
      .where(sql<SqlBool>`reason <> ''`)
      .$if(reasons !== undefined, (query) =>
        query.where((eb) => reader.dialect.among(eb.ref('reason'), reasons ?? [], 'text')),
      )
      .limit(maxScannedRecords + 1)
      .execute(),
  )

/** Found by the index of keys, or among the few records with a list of keys. */
async function ticketsOfKeys(reader: Reader, account: string, keys: readonly string[]): Promise<number[]> {
  const listed = compile(
    { field: 'ext_key', test: { is: 'listing', names: keys } },
    { table: 'log', fields: auditFields, dialect: reader.dialect },
  )
  return tickets(
    await ofAccount(reader, account)
      .where(sql<SqlBool>`ext_key <> ''`)
      .where((eb) => reader.dialect.among(eb.ref('ext_key'), keys, 'text'))
      .union(ofAccount(reader, account).where(sql<SqlBool>`ext_key LIKE '%,%'`).where(listed))
      .limit(maxScannedRecords + 1)
      .execute(),
  )
}

/** Kinds of records that can be very many and have an address or nothing for a name. */
const unnamed = ['host', 'instassociation', 'history']
/** Their ids are of several kinds, so only the records that show the name are about what has it. */
const sharingIds = ['model', 'privilege']

/**
 * All records of instances that have, or once had, exactly this name: records that show it are found among those of the named objects, which
 * are far fewer than those of hosts. Hosts are found by their addresses.
 */
async function ticketsOfName(
  reader: Reader,
  account: string,
  name: string,
  objects: readonly string[] | undefined,
): Promise<number[]> {
  const byAddress = await ticketsOfKeys(reader, account, [name])
  const wanted = objects ?? (await objectsRecorded(reader, account))
  const candidates = () =>
    ofAccount(reader, account).where((eb) => reader.dialect.among(eb.ref('log.object_id'), wanted, 'text'))
  tickets(
    await candidates()
      .limit(maxScannedRecords + 1)
      .execute(),
  )
  const showing = reader.dialect.contains(sql.ref('log.content'), `name":${JSON.stringify(name)}`)
  const instances = candidates()
    .clearSelect()
    .select(['log.object_id as object', 'log.inst_id as inst', 'log.ext_key as key'])
    .distinct()
    .where(showing)
  const found = await reader
    .selectFrom(instances.as('named'))
    .innerJoin('log as own', (join) =>
      join.onRef('own.object_id', '=', 'named.object').onRef('own.inst_id', '=', 'named.inst'),
    )
    .select('own.ticket')
    .where('own.account', '=', account)
    .whereRef('own.ext_key', '=', 'named.key')
    .where('own.object_id', 'not in', sharingIds)
    .union(candidates().where(showing))
    .limit(maxScannedRecords + 1)
    .execute()
  return [...new Set([...byAddress, ...tickets(found)])]
}

/** Objects with records that show names; found one after the other in the index, without reading all records. */
async function objectsRecorded(reader: Reader, account: string): Promise<string[]> {
  const found: string[] = []
  for (let last = ''; ; ) {
    const next = await reader
      .selectFrom('log')
      .select('object_id')
      .where('account', '=', account)
      .where('object_id', '>', last)
      .orderBy('object_id')
      .limit(1)
      .executeTakeFirst()
    if (!next) return found
    last = next.object_id
    if (!unnamed.includes(last) && queryIn(last) === undefined) found.push(last)
  }
}
