import { type associations, type DataOf, problem } from '@mainline/contract'
import type { Reader } from '../../storage/index.ts'
import type { ObjectAssociation } from '../associations/index.ts'
import { type Showing, selectObjects, showObject } from '../model/index.ts'
import { describeThings, findThing, refKey, type Thing, type ThingRef } from './things.ts'

type Topology = DataOf<typeof associations.searchInstanceTopology>
type Neighbour = Topology[number]['curr']
type Group = Topology[number]['prev'][number]

const mostOfObject = 200
/** On each side, of all objects together. */
const mostNeighbours = 2_000

/** The associated instances, grouped by object. */
export async function neighbourhoodOf(
  reader: Reader,
  account: string,
  { object, id }: { readonly object: string; readonly id: number },
  visible: readonly ObjectAssociation[],
  showing: Showing,
): Promise<Topology> {
  const start = await findThing(reader, account, object, id)
  if (!start) throw problem('notFound')
  const objects = new Map(
    (await selectObjects(reader, account).execute()).map((row) => [row.object_id, showObject(row, showing)]),
  )
  const shown = (of: string, thing: Thing | undefined, association: number): Neighbour => ({
    id: String(thing?.id ?? ''),
    bk_obj_id: of,
    bk_obj_name: objects.get(of)?.bk_obj_name ?? of,
    bk_obj_icon: objects.get(of)?.bk_obj_icon ?? '',
    bk_inst_id: thing?.id ?? 0,
    bk_inst_name: thing?.name ?? '',
    asso_id: association,
  })
  const side = async (here: Side, there: Side): Promise<Group[]> => {
    const own = visible.filter((each) => each[`${here}_object`] === object)
    const neighbours = await readNeighbours(reader, start, own, here, there)
    const things = await describeThings(
      reader,
      neighbours.map(({ ref }) => ref),
      showing,
    )
    const counts = await countNeighbours(reader, start, own, here)
    const groups = Map.groupBy(own, (each) => each[`${there}_object`])
    return [...groups].flatMap(([other, among]): Group[] => {
      const ids = new Set(among.map(({ id }) => id))
      const count = counts.reduce((sum, each) => sum + (ids.has(each.association) ? each.count : 0), 0)
      const listed = neighbours.filter(({ association }) => ids.has(association)).slice(0, mostOfObject)
      const children = listed.flatMap(({ id: made, ref }) => {
        const thing = things.get(refKey(ref))
        return thing ? [shown(other, thing, made)] : []
      })
      return count === 0 ? [] : [{ ...shown(other, undefined, 0), count, children }]
    })
  }
  const [things, prev, next] = await Promise.all([
    describeThings(reader, [start], showing),
    side('target', 'source'),
    side('source', 'target'),
  ])
  return [{ curr: shown(object, things.get(refKey(start)), 0), prev, next }]
}

type Side = 'source' | 'target'

const selectAround = (reader: Reader, { table, row }: ThingRef, own: readonly ObjectAssociation[], here: Side) =>
  reader
    .selectFrom('instance_association')
    .where(`${here}_${table}`, '=', row)
    .where((eb) =>
      reader.dialect.among(
        eb.ref('association'),
        own.map(({ id }) => id),
        'integer',
      ),
    )

const countNeighbours = (reader: Reader, start: ThingRef, own: readonly ObjectAssociation[], here: Side) =>
  selectAround(reader, start, own, here)
    .groupBy('association')
    .select((eb) => ['association', eb.fn.countAll<number>().as('count')])
    .execute()

/** In order of creation. When there are too many, those are left out that follow many others of the same association of objects. */
async function readNeighbours(
  reader: Reader,
  start: ThingRef,
  own: readonly ObjectAssociation[],
  here: Side,
  there: Side,
) {
  const ranked = selectAround(reader, start, own, here).select((eb) => [
    'id',
    'association',
    `${there}_node as node`,
    `${there}_host as host`,
    eb.fn
      .agg<number>('row_number')
      .over((over) => over.partitionBy('association').orderBy('id'))
      .as('place'),
  ])
  const rows = await reader
    .selectFrom(ranked.as('ranked'))
    .select(['id', 'association', 'node', 'host'])
    .where('place', '<=', mostOfObject)
    .orderBy('place')
    .orderBy('id')
    .limit(mostNeighbours)
    .execute()
  return rows
    .toSorted((one, other) => one.id - other.id)
    .map(({ id, association, node, host }) => ({
      ...{ id, association },
      ref: node === null ? { table: 'host' as const, row: host ?? 0 } : { table: 'node' as const, row: node },
    }))
}
