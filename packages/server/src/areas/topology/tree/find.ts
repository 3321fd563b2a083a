import type { DataOf, Language, topology } from '@mainline/contract'
import { sql } from 'kysely'
import { bounding, type Reader } from '../../../storage/index.ts'
import { type Model, objectName, objectOf } from '../../model/index.ts'

interface NodeQuestion {
  /** A substring of the name; '' for any name. */
  readonly name: string
  readonly withoutHosts: boolean
  readonly start: number
  readonly limit: number
}

/** Finds levels, sets and modules of all businesses that are not archived; prefix matches come first. Scans all of them. */
export async function findAnywhere(
  reader: Reader,
  model: Model,
  language: Language,
  { name, withoutHosts, start, limit }: NodeQuestion,
): Promise<DataOf<typeof topology.searchNodes>> {
  const { small, contains } = reader.dialect
  const sought = name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  const found = reader
    .selectFrom('node')
    .innerJoin('business', 'business.node', 'node.business')
    .where('node.account', '=', model.account)
    .where('node.built_in', '=', 0)
    .where('business.living_name', 'is not', null)
    .$if(sought !== '', (some) => some.where((eb) => contains(small(eb.ref('node.name')), sought)))
    .$if(withoutHosts, (some) =>
      some
        .where('node.object_id', '=', 'module')
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('placement').select('host').whereRef('placement.module', '=', 'node.id'))),
        ),
    )
  const [{ count }, rows] = await Promise.all([
    found.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow(),
    found
      .innerJoin('node as above', 'above.id', 'node.parent')
      .innerJoin('node as biz', 'biz.id', 'node.business')
      .select(['node.object_id', 'node.inst_id', 'node.name', 'node.biz_id', 'above.name as above', 'biz.name as biz'])
      .orderBy(
        (eb) => sql`substr(${small(eb.ref('node.name'))}, 1, ${sql.lit([...sought].length)}) = ${sought}`,
        'desc',
      )
      .orderBy('node.name')
      .orderBy('node.id')
      .limit(bounding(limit))
      .offset(bounding(start))
      .execute(),
  ])
  const info = rows.map((row) => ({
    bk_obj_id: row.object_id,
    bk_obj_name: objectName(objectOf(model, row.object_id), language),
    bk_inst_id: row.inst_id,
    bk_inst_name: row.name,
    bk_parent_name: row.above,
    bk_biz_id: row.biz_id,
    bk_biz_name: row.biz,
  }))
  return { count, info }
}
