import type { DataOf, queries } from '@mainline/contract'
import { bounding, type Reader } from '../../../storage/index.ts'

interface QueryQuestion {
  /** A substring of the name; '' for any name. */
  readonly name: string
  readonly start: number
  readonly limit: number
}

/** Finds saved queries of all businesses of the account that are not archived. Scans their names. */
export async function findAnywhere(
  reader: Reader,
  account: string,
  { name, start, limit }: QueryQuestion,
): Promise<DataOf<typeof queries.findQueries>> {
  const { small, contains } = reader.dialect
  const sought = name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  const found = reader
    .selectFrom('custom_query')
    .innerJoin('business', 'business.node', 'custom_query.business')
    .where('custom_query.account', '=', account)
    .where('business.living_name', 'is not', null)
    .$if(sought !== '', (some) => some.where((eb) => contains(small(eb.ref('custom_query.name')), sought)))
  const [{ count }, info] = await Promise.all([
    found.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
    found
      .innerJoin('node', 'node.id', 'custom_query.business')
      .select(['custom_query.id', 'custom_query.name', 'custom_query.biz_id as bk_biz_id', 'node.name as bk_biz_name'])
      .orderBy('custom_query.name')
      .orderBy('custom_query.id')
      .limit(bounding(limit))
      .offset(bounding(start))
      .execute(),
  ])
  return { count, info }
}
